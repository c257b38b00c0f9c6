"""The file of a graph and the log of writes beside it, which a killed process may leave torn."""

import logging
from pathlib import Path

import ladybug

BUFFER_BYTES = 384 * 2**20  # an upper bound, filled as needed: the whole program is to stay under 700 MB
ADDRESS_BYTES = 2**36  # the engine reserves addresses for its largest file: 64 GiB instead of 8 TiB
# The engine writes a transaction in parts that end at multiples of this; it syncs the last one before it reports.
LOG_PART_BYTES = 4096

logger = logging.getLogger(__name__)


def open_database(path: Path) -> ladybug.Database:
    """Open a graph's file; a transaction that a kill cut off in its log is dropped, as it was never reported.

    The engine refuses any log that it cannot read to its end. One that ends elsewhere than a write can be cut off was
    damaged otherwise: then what follows the damage may have been reported, and the error stands.

    Raises:
        RuntimeError: The file cannot be read.
    """
    try:
        return _database(path, strict=True)
    except RuntimeError as error:
        if not _is_torn(path.with_name(path.name + ".wal")):
            raise
        logger.warning("%s: an unfinished write at the end of its log is dropped: %s", path, error)
        return _database(path, strict=False)


def _database(path: Path, *, strict: bool) -> ladybug.Database:
    return ladybug.Database(
        path, buffer_pool_size=BUFFER_BYTES, max_db_size=ADDRESS_BYTES, throw_on_wal_replay_failure=strict
    )


def _is_torn(log: Path) -> bool:
    size = log.stat().st_size if log.exists() else 0
    return size > 0 and size % LOG_PART_BYTES == 0
