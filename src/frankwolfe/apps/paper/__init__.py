"""The paper's experiments, its claims, and what was measured."""
