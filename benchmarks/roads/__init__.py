"""Traffic assignment: the networks, the contestants, the tables."""
