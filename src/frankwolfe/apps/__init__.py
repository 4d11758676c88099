"""Applications: what is built of the rooms below by their public names alone."""
