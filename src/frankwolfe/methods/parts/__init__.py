"""The five parts of a method: model, oracle, direction, step, combination."""
