"""Methods for matrices in factored form."""
