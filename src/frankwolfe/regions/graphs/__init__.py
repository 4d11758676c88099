"""Sets of a graph: a variable for each edge."""
