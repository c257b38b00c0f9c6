"""The lock on a library's folder that no engine holds: it leaves nothing of a name that is no library."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from filelock import FileLock

from tools.errors import StoreLocked
from wenmai.stores.files.folder import HOLDER_FILE, LOCK_FILE, WRITING_FILE, LibraryFolders


def test_threads_share_a_folder(tmp_path: Path) -> None:
    """PLA-28: stores of one process that open and close a library at once never refuse it to each other."""
    (tmp_path / "书").mkdir()
    usual = sys.getswitchinterval()

    def opened_and_closed(_: int) -> bool:
        folders = LibraryFolders(tmp_path)
        found = folders.existing("书")
        folders.close()
        return found == tmp_path / "书"

    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as threads:
            assert all(threads.map(opened_and_closed, range(400)))
    finally:
        sys.setswitchinterval(usual)


def test_who_waits_for_a_question_keeps_no_other_folder_waiting(tmp_path: Path) -> None:
    """PLA-25: while one folder is waited for, others are opened and closed."""
    for name in ("甲", "乙"):
        (tmp_path / name).mkdir()
    (tmp_path / "甲" / HOLDER_FILE).write_text(json.dumps({"asks": True}), encoding="utf-8")
    folders = LibraryFolders(tmp_path)
    with ThreadPoolExecutor(2) as threads:
        with FileLock(tmp_path / "甲" / LOCK_FILE):  # as another process holds it
            waiting = threads.submit(folders.existing, "甲")
            assert threads.submit(folders.existing, "乙").result(timeout=5) == tmp_path / "乙"
            folders.release("乙")
            assert not waiting.done()
        assert waiting.result(timeout=5) == tmp_path / "甲"
    folders.close()


def test_a_mistyped_name_leaves_no_folder(tmp_path: Path) -> None:
    """PLA-28: whoever only locked a name, and found no library there, leaves no folder that looks like one."""
    folders = LibraryFolders(tmp_path, shared=True)
    with folders.writing("错名"):
        assert folders.names() == ["错名"]
    with pytest.raises(ValueError, match="no such"), folders.writing("错名"):
        raise ValueError("no such library")
    assert list(tmp_path.iterdir()) == []


def test_what_was_written_stays(tmp_path: Path) -> None:
    """PLA-28: a folder with anything in it is kept, and so is one that was there before."""
    folders = LibraryFolders(tmp_path, shared=True)
    with folders.writing("新"):
        (tmp_path / "新" / "catalog.sqlite").write_text("x", encoding="utf-8")
    (tmp_path / "旧").mkdir()
    with folders.writing("旧"):
        pass
    assert folders.names() == ["新", "旧"]


def test_what_comes_while_the_lock_goes_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PLA-28: a file that another process puts into the folder at the last moment is not removed with the lock."""
    folder, unlink = tmp_path / "新", Path.unlink

    def late(path: Path, missing_ok: bool = False) -> None:
        (folder / "catalog.sqlite").write_text("x", encoding="utf-8")
        unlink(path, missing_ok)

    with LibraryFolders(tmp_path, shared=True).writing("新"):
        monkeypatch.setattr(Path, "unlink", late)
    assert [path.name for path in folder.iterdir()] == ["catalog.sqlite"]


def test_a_second_writer_is_refused_and_takes_nothing_away(tmp_path: Path) -> None:
    """PLA-25: the lock of the first is still there, and its folder too."""
    folders = LibraryFolders(tmp_path, shared=True)
    with folders.writing("新"):
        with pytest.raises(StoreLocked, match="新"), LibraryFolders(tmp_path, shared=True).writing("新"):
            pytest.fail("two writers")
        assert (tmp_path / "新" / WRITING_FILE).exists()
    assert list(tmp_path.iterdir()) == []
