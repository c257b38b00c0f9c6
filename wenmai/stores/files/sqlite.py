"""What SQLite files are asked, whoever has them: whether all of their pages are well, and to empty their logs."""

import sqlite3

CHECK = "PRAGMA quick_check(1)"  # it reads each page
EMPTY_LOG = "PRAGMA wal_checkpoint(TRUNCATE)"  # what was deleted still stands in it


def require_sound(found: object) -> None:
    """Raise DatabaseError, as SQLite does of a malformed file, unless CHECK has found nothing."""
    if found != ("ok",):
        raise sqlite3.DatabaseError("database disk image is malformed")
