"""Mutation of the source: random single changes, each of which some test should notice."""
