"""A model that FastEmbed knows as an engine; its files are downloaded at its first use (extra `fastembed`)."""

import hashlib
import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tools.errors import ConfigError, short_reason
from tools.messages import Message, Names, say
from wenmai.embedders.onnx import DEFAULT_TOKENS, PROBE, ModelOverrides
from wenmai.embedders.texts import Vector, fitting, unit

if TYPE_CHECKING:
    from fastembed import TextEmbedding

log = logging.getLogger("wenmai.embedder")

LIKENESS = 0.3
# Words that a model was trained with before a query and before a passage, from each model's card: FastEmbed adds none.
ARCTIC = "Represent this sentence for searching relevant passages: "
PREFIXES = {
    r"BAAI/bge-.*-zh.*": ("为这个句子生成表示以用于检索相关文章：", ""),
    r"BAAI/bge-.*-en.*": (ARCTIC, ""),
    r"mixedbread-ai/mxbai-embed-large-v1|snowflake/snowflake-arctic-embed-.*": (ARCTIC, ""),
    r"intfloat/multilingual-e5-.*": ("query: ", "passage: "),
    r"nomic-ai/nomic-embed-text-.*": ("search_query: ", "search_document: "),
}


class FastEmbedModel:
    def __init__(self, id: str, overrides: ModelOverrides, cache: Path) -> None:
        """Take a model by its id in FastEmbed, in any case; its pooling is FastEmbed's. `cache` is for its files."""
        query, passage = prefixes(id)
        self._asked = id
        self._query_prefix = query if overrides.query_prefix is None else overrides.query_prefix
        self._passage_prefix = passage if overrides.passage_prefix is None else overrides.passage_prefix
        self._own_prefix = passage
        self._cache = cache
        self._loading = Lock()

    @property
    def name(self) -> str:
        """Identity of the model; another prefix of passages makes another one. Raises ConfigError."""
        if self._passage_prefix == self._own_prefix:
            return self._id
        return f"{self._id}@{hashlib.sha256(self._passage_prefix.encode()).hexdigest()[:12]}"

    @property
    def dimension(self) -> int:
        with self._errors():
            return self._class().get_embedding_size(self._id)

    def load(self) -> None:
        """Load the model, once; the first time on this machine it is downloaded. Raises ConfigError."""
        with self._loading:
            found = self._probed
        if found != self.dimension:
            lengths = {"found": found, "dimension": self.dimension}
            raise ConfigError(Message("embedder.other_vector_length", id=self._id, **lengths))

    def query(self, text: str) -> Vector:
        return self._vector(self._query_prefix + text)

    def parts(self, text: str) -> list[str]:
        return fitting(text, DEFAULT_TOKENS - len(self._passage_prefix))

    def windows(self, texts: Sequence[str]) -> NDArray[np.floating]:
        return np.stack([self._vector(self._passage_prefix + text) for text in texts])

    def _vector(self, text: str) -> Vector:
        [found] = self._model.embed([text])
        return np.asarray(unit(np.asarray(found, np.float32)), np.float32)

    @cached_property
    def _probed(self) -> int:
        with self._errors():
            return len(self._vector(PROBE))

    @cached_property
    def _model(self) -> "TextEmbedding":
        kind = self._class()
        try:
            return kind(self._id, cache_dir=str(self._cache), threads=1, local_files_only=True)
        except ValueError:
            log.warning(say("embedder.downloading", id=self._id, cache=self._cache))
            return kind(self._id, cache_dir=str(self._cache), threads=1)

    def _class(self) -> "type[TextEmbedding]":
        try:
            from fastembed import TextEmbedding
            from loguru import logger
        except ImportError as error:
            raise ConfigError(Message("embedder.fastembed_not_installed", id=self._asked)) from error
        logger.disable("fastembed")  # its messages become one error here
        return TextEmbedding

    @cached_property
    def _id(self) -> str:
        """The id as FastEmbed lists it: written in another case it must not make other collections."""
        known = {str(row["model"]) for row in self._class().list_supported_models()}
        listed = {name.lower(): name for name in known}
        if self._asked.lower() not in listed:
            names = get_close_matches(self._asked, known, 3, LIKENESS) or sorted(known)[:3]
            raise ConfigError(Message("embedder.unknown_model", id=self._asked, names=Names(names)))
        return listed[self._asked.lower()]

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (ValueError, OSError) as error:
            raise ConfigError(
                Message("embedder.model_not_downloaded", id=self._id, reason=short_reason(error))
            ) from error


def prefixes(id: str) -> tuple[str, str]:
    return next((pair for name, pair in PREFIXES.items() if re.fullmatch(name, id, re.IGNORECASE)), ("", ""))
