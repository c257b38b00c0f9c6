"""Checkpointers of threads: SQLite and PostgreSQL, both pruned."""
