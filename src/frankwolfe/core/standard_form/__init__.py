"""A region by equations, bounds and norm balls, for solvers that need it so."""
