"""Folders of libraries: locks, owners, moves."""
