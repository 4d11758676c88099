"""Simplices, hypersimplices and the sets of sorted or few entries."""
