"""Regions made of other regions, or of a user's oracle."""
