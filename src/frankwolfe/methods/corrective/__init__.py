"""Methods that choose all weights, or a few variables, afresh after each oracle call."""
