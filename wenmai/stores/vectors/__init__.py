"""Stores of memories and documents over the points of any vector engine, and of passages over those of a server."""
