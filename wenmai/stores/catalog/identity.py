"""The identity of the catalog below a data folder: made once, it is moved and backed up with the folder."""

import socket
import sqlite3
from contextlib import closing
from pathlib import Path
from uuid import uuid4

from tools.errors import StoreError
from tools.messages import Message
from wenmai.stores.files.owners import Owner

IDENTITY_FILE = "identity.sqlite"
MAKE = "CREATE TABLE IF NOT EXISTS identity (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL)"


def owner_at(data_dir: Path) -> Owner:
    """Return the catalog below a folder; of several processes that start at once, one makes its identity.

    Raises StoreError.
    """
    path = data_dir / IDENTITY_FILE
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(path)) as file, file:
            file.execute(MAKE)
            file.execute("INSERT OR IGNORE INTO identity VALUES (1, ?)", (str(uuid4()),))
            [[id]] = file.execute("SELECT id FROM identity").fetchall()
    except (sqlite3.Error, OSError) as error:
        raise StoreError(Message("catalog.identity_not_usable", path=path, error=error)) from error
    return Owner(id, f"{socket.gethostname()}: DATA_DIR={data_dir}")
