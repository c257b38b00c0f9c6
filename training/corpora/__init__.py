"""Sources of examples, one module each."""
