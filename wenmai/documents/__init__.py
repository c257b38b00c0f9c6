"""Uploaded documents: reading files, limits, storing and removing."""
