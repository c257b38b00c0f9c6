"""The sample library: in the repository `data/sample`, in the wheel `wenmai/sample`."""

from pathlib import Path

import wenmai
from wenmai.errors import InputError

LIBRARY = "sample"
TITLE = "雾港纪事"
PACKAGE = Path(wenmai.__file__).parent
FOLDERS = (PACKAGE.parent / "data" / "sample", PACKAGE / "sample")
STORY = "雾港纪事.txt"
ALIASES = "aliases.json"
GRAPH = ("relations.jsonl", "events.jsonl")
QUESTIONS = "questions.jsonl"
NETWORK = "harbor"  # its folder, and its id
NETWORK_QUESTIONS = "questions_harbor.jsonl"
SESSIONS = "sessions.jsonl"


def sample_folder(given: Path | None = None) -> Path:
    """Return the folder of the sample story. Raises InputError where it is not there."""
    for folder in (given,) if given else FOLDERS:
        if (folder / STORY).is_file():
            return folder
    raise InputError(f"没有示例故事 {(given or FOLDERS[-1]) / STORY}：请用 --path 指出它所在的文件夹")
