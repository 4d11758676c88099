"""Completion of matrices of ratings: the estimator, its intervals and recommendations."""
