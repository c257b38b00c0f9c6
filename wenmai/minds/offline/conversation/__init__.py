"""What is answered without a search."""
