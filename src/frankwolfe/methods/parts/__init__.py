"""The five parts of a Frank-Wolfe method: model, oracle, direction, step, combination."""
