"""Everyday problems, each a few lines over `minimize`, with the names of their own field."""
