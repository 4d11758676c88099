"""Linear constraints beside a region: rounds of runs with multipliers, and what they prove."""
