"""Balls of norms, boxes and ellipsoids."""
