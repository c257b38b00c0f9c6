"""A file of checkpoints that cannot be opened is one line that says what to look at."""

from pathlib import Path

import pytest

from tools.errors import StoreUnavailable
from wenmai.checkpoints import CHECKPOINTS_FILE
from wenmai.checkpoints.sqlite import open_checkpoints


async def test_what_cannot_be_opened_is_named(tmp_path: Path) -> None:
    (tmp_path / CHECKPOINTS_FILE).mkdir()
    with pytest.raises(StoreUnavailable, match=f"{CHECKPOINTS_FILE}.*DATA_DIR"):
        async with open_checkpoints(tmp_path):
            pytest.fail("a folder was opened as a database")
