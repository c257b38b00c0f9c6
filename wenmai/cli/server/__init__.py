"""What commands ask a running server that holds their stores; results are what the stores would give."""
