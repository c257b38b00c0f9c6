"""Composition: the live objects of a process, and what commands and routes share."""
