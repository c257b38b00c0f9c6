"""Files that were sent to a server do not outlive it."""

import os
import subprocess
import sys
from pathlib import Path

from wenmai.app.backups import files_of
from wenmai.app.data_dir import UPLOADS, clear_uploads, upload_folder


def test_what_killed_servers_left_is_deleted(tmp_path: Path) -> None:
    """That of one that still runs stays; what is under way is in no backup."""
    clear_uploads(tmp_path)
    mine = upload_folder(tmp_path)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        running = tmp_path / UPLOADS / f"{other.pid}-abc"
        running.mkdir()
        (running / "book.txt").write_text("x", encoding="utf-8")
        assert mine.is_dir() and mine.name.startswith(f"{os.getpid()}-") and not list(files_of(tmp_path))
        clear_uploads(tmp_path)
        assert running.is_dir() and not mine.exists()
        other.communicate(b"\n")
    clear_uploads(tmp_path)
    assert not list((tmp_path / UPLOADS).iterdir())
