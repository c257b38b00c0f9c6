"""Ingests on a Ray cluster (extra `ray`)."""
