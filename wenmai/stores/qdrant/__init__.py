"""A Qdrant server behind the ports."""
