"""Files that were sent to a server do not outlive it."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tools.errors import StoreLocked
from wenmai.app.backups import files_of
from wenmai.app.data_dir import UPLOADS, clear_uploads, keep_to_owner, only_server, upload_folder


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


def test_a_data_folder_is_walked_once(tmp_path: Path) -> None:
    """PLA-60: what was open to others is not; where the folder itself is closed nothing below it is looked at again."""
    folder, before = tmp_path / "data", os.umask(0o022)
    try:
        (folder / "library").mkdir(parents=True)
        file = folder / "library" / "catalog.sqlite"
        file.touch()
        keep_to_owner(folder)
        assert [stat.S_IMODE(one.stat().st_mode) for one in (folder, file.parent, file)] == [0o700, 0o700, 0o600]
        file.chmod(0o644)
        keep_to_owner(folder)
        assert stat.S_IMODE(file.stat().st_mode) == 0o644  # nobody gets there
        folder.chmod(0o755)
        keep_to_owner(folder)
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    finally:
        os.umask(before)


def test_a_second_server_on_a_data_folder_says_so(tmp_path: Path) -> None:
    """PLA-25: also while the first one starts and has no address yet; of one that was killed nothing stays."""
    command = "import sys; from pathlib import Path; from wenmai.app.data_dir import only_server\n"
    command += "with only_server(Path(sys.argv[1])): print('here', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", command, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as first:
        assert first.stdout is not None and first.stdout.readline() == b"here\n"
        with pytest.raises(StoreLocked, match=str(tmp_path)), only_server(tmp_path):
            raise AssertionError
        first.kill()
    with only_server(tmp_path):
        pass
