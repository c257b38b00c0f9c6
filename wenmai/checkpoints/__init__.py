"""Checkpointers of threads: SQLite and PostgreSQL, both pruned."""

CHECKPOINTS_FILE = "checkpoints.sqlite"  # in DATA_DIR
BUSY_MS = 10_000  # how long a process waits for another one that writes
