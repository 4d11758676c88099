"""Balls of norms beyond lp, ellipsoids, and sets of ordered or capped entries."""
