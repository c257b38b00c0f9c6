"""The sample libraries and networks: in the repository `data/sample`, in the wheel `wenmai/sample`."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from state.context import Language
from tools.errors import InputError
from tools.messages import Message
from wenmai.ingestion.source_bundle import IngestRequest

PACKAGE = Path(__file__).resolve().parents[1]
FOLDERS = (PACKAGE.parent / "data" / "sample", PACKAGE / "sample")
LIBRARY = "sample"
TITLE = "雾港纪事"
STORY = "雾港纪事.txt"
ALIASES = "aliases.json"
GRAPH = ("relations.jsonl", "events.jsonl")
QUESTIONS = "questions.jsonl"
SESSIONS = "sessions.jsonl"
NETWORK = "harbor"  # its folder, and its id
NETWORK_QUESTIONS = "questions_harbor.jsonl"


@dataclass(frozen=True, slots=True)
class Sample:
    """A story and a network of one language, with their questions; names of files are those in `sample_folder`.

    Attributes:
        library: the story's library.
        network: the network's folder, and its id.
        sessions: conversations beside `questions`; None where those hold them.
    """

    library: str
    title: str
    story: str
    aliases: str
    graph: tuple[str, ...]
    questions: str
    network: str
    network_questions: str
    sessions: str | None = None


SAMPLES: Mapping[Language, Sample] = MappingProxyType(
    {
        "zh": Sample(
            library=LIBRARY,
            title=TITLE,
            story=STORY,
            aliases=ALIASES,
            graph=GRAPH,
            questions=QUESTIONS,
            sessions=SESSIONS,
            network=NETWORK,
            network_questions=NETWORK_QUESTIONS,
        ),
        "en": Sample(
            library="sample_en",
            title="Fog Harbor",
            story="fog_harbor_en.txt",
            aliases="aliases_en.json",
            graph=("relations_en.jsonl", "events_en.jsonl"),
            questions="questions_en.jsonl",
            network="harbor_en",
            network_questions="questions_harbor_en.jsonl",
        ),
    }
)


def request(language: Language, given: Path | None = None) -> IngestRequest:
    """Return what reads the sample of a language. Raises InputError where it is not there."""
    folder, sample = sample_folder(given), SAMPLES[language]
    return IngestRequest(
        path=folder / sample.story,
        library=sample.library,
        title=sample.title,
        aliases=folder / sample.aliases,
        graph_files=tuple(folder / name for name in sample.graph),
    )


def sample_folder(given: Path | None = None) -> Path:
    """Return the folder of the sample story. Raises InputError where it is not there."""
    for folder in (given,) if given else FOLDERS:
        if (folder / STORY).is_file():
            return folder
    raise InputError(Message("demo.no_sample", file=(given or FOLDERS[-1]) / STORY))
