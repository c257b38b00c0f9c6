"""The file of checkpoints in DATA_DIR."""

CHECKPOINTS_FILE = "checkpoints.sqlite"
BUSY_MS = 10_000  # how long a process waits for another one that writes
