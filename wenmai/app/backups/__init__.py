"""Everything in DATA_DIR in one file, and back."""
