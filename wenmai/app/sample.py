"""The sample library: in the repository `data/sample`, in the wheel `wenmai/sample`."""

from pathlib import Path

from state.context import Language
from tools.errors import InputError
from tools.wording import Words
from wenmai.ingestion.source_bundle import IngestRequest

NO_SAMPLE = Words(
    "没有示例故事 {file}：请用 --path 指出它所在的文件夹", "there is no sample story {file}: name its folder by --path"
)
LIBRARY = "sample"
TITLE = "雾港纪事"
PACKAGE = Path(__file__).resolve().parents[1]
FOLDERS = (PACKAGE.parent / "data" / "sample", PACKAGE / "sample")
STORY = "雾港纪事.txt"
ALIASES = "aliases.json"
LIBRARY_EN, TITLE_EN = "sample_en", "Fog Harbor"
STORY_EN, ALIASES_EN = "fog_harbor_en.txt", "aliases_en.json"
GRAPH = ("relations.jsonl", "events.jsonl")
QUESTIONS = "questions.jsonl"
NETWORK = "harbor"  # its folder, and its id
NETWORK_QUESTIONS = "questions_harbor.jsonl"
SESSIONS = "sessions.jsonl"


def request(language: Language, given: Path | None = None) -> IngestRequest:
    """Return what reads the sample of a language. Raises InputError where it is not there."""
    folder = sample_folder(given)
    if language == "en":
        return IngestRequest(path=folder / STORY_EN, library=LIBRARY_EN, title=TITLE_EN, aliases=folder / ALIASES_EN)
    graph = tuple(folder / name for name in GRAPH)
    return IngestRequest(path=folder / STORY, library=LIBRARY, title=TITLE, aliases=folder / ALIASES, graph_files=graph)


def sample_folder(given: Path | None = None) -> Path:
    """Return the folder of the sample story. Raises InputError where it is not there."""
    for folder in (given,) if given else FOLDERS:
        if (folder / STORY).is_file():
            return folder
    raise InputError(NO_SAMPLE.of(file=(given or FOLDERS[-1]) / STORY))
