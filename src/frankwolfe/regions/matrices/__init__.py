"""Sets of matrices: by singular values, by eigenvalues."""
