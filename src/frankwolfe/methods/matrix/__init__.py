"""Methods over matrices in factored form: matrix completion and the like."""
