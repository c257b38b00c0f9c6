"""Files that are written as a whole or not at all."""

import os
import tempfile
from pathlib import Path


def replace_file(path: Path, content: bytes | str) -> None:
    """Write a file that its owner alone reads, in the place of an older one; a text as UTF-8. Raises OSError."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)
