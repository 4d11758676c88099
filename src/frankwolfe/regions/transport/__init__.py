"""Transport plans and doubly stochastic matrices."""
