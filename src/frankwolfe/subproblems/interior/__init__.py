"""Interior points: a primal-dual path through the inside of a set to the minimizer."""
