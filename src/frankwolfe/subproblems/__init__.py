"""The small convex problems that methods and regions solve, each in one place."""
