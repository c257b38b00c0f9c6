"""The sample library that comes with the repository."""

from pathlib import Path

import wenmai
from wenmai.errors import InputError

LIBRARY = "sample"
TITLE = "雾港纪事"
FOLDER = Path(wenmai.__file__).parents[1] / "data" / "sample"
STORY = "雾港纪事.txt"
ALIASES = "aliases.json"
GRAPH = ("relations.jsonl", "events.jsonl")
QUESTIONS = "questions.jsonl"
NETWORK = "harbor"  # its folder, and its id
NETWORK_QUESTIONS = "questions_harbor.jsonl"
SESSIONS = "sessions.jsonl"


def sample_folder(given: Path | None = None) -> Path:
    """Return the folder of the sample story. Raises InputError where it is not there."""
    folder = given or FOLDER
    if (folder / STORY).is_file():
        return folder
    raise InputError(f"没有示例故事 {folder / STORY}：请在代码库中运行，或用 --path 指出 data/sample 的位置")
