"""Pictures of runs, by matplotlib, and pages for the browser."""
