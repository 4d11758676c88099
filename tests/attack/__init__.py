"""Random problems of every objective, region and scaling, and a judge that trusts nothing of the library."""
