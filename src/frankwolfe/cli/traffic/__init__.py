"""Output of the command `traffic`: flows, a summary, a page."""
