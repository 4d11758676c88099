"""Small convex quadratics over simple sets."""
