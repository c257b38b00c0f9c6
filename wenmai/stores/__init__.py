"""Adapters behind tools/ports.py."""
