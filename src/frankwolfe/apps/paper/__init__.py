"""Reproduction of the paper: its experiments, its claims, and what was measured."""
