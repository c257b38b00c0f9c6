"""Names in a text: found, bounded, counted."""
