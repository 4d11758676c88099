"""Sets that a solver of linear, integer or conic programs knows."""
