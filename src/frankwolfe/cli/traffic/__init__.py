"""What the command traffic writes: flows, a summary, a page."""
