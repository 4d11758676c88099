"""Balls of norms over groups of variables."""
