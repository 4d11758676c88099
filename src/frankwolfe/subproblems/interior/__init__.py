"""Interior points: a path through the inside of a set that ends at the minimizer."""
