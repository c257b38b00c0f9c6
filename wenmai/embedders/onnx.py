"""A folder with an ONNX model and its tokenizer as an engine; nothing is downloaded."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tools.errors import ConfigError, short_reason
from tools.extras import require_extra
from tools.messages import Message, Names, Text, say
from wenmai.embedders.runtime import session_options
from wenmai.embedders.texts import Vector, fitting, unit
from wenmai.settings.models import Pooling

if TYPE_CHECKING:
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]  # pyright: ignore[reportAttributeAccessIssue]
    from tokenizers import Tokenizer

MODEL = "model.onnx"
ONNX_FOLDER = "onnx"
TOKENIZER = "tokenizer.json"
DEFAULT_TOKENS = 512
MOST_TOKENS = 8_192  # "no limit" is written as a very large number
MODES: dict[str, Pooling] = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_lasttoken": "last",
}
QUERY_PROMPTS = ("query", "search_query")
PASSAGE_PROMPTS = ("passage", "document", "corpus", "search_document")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOverrides:
    """What the settings decide about a model; None where its own files do."""

    pooling: Pooling | None = None
    query_prefix: str | None = None
    passage_prefix: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFolder:
    """A model's files and how its vectors are made.

    Attributes:
        pooling: None where no file says it; a model that gives whole vectors needs none.
        dimension: None where no file says it.
        tokens: how many it reads.
        name: its identity: what decides the vectors of passages is part of it, the folder's place is not.
    """

    model: Path
    tokenizer: Path
    pooling: Pooling | None
    query_prefix: str
    passage_prefix: str
    dimension: int | None
    tokens: int
    name: str


def read_folder(path: Path, overrides: ModelOverrides) -> ModelFolder:
    """Read a folder, or the folder of a named `.onnx` file. Raises ConfigError."""
    model = model_file(path)
    home = model.parent.parent if model.parent.name == ONNX_FOLDER else model.parent
    tokenizer = home / TOKENIZER
    if not tokenizer.is_file():
        raise ConfigError(Message("embedder.no_tokenizer", path=path, home=home, file=TOKENIZER))
    modules = _json(home / "modules.json")
    if any("Dense" in str(one.get("type")) for one in modules or () if isinstance(one, dict)):
        raise ConfigError(Message("embedder.dense_layers", path=path))
    prompts = record(home / "config_sentence_transformers.json").get("prompts")
    modes = record(home / "1_Pooling" / "config.json")
    pooling: Pooling | None = overrides.pooling or next(
        (mode for field, mode in MODES.items() if modes.get(field) is True), None
    )
    passage = _prefix(overrides.passage_prefix, prompts, PASSAGE_PROMPTS)
    return ModelFolder(
        model=model,
        tokenizer=tokenizer,
        pooling=pooling,
        query_prefix=_prefix(overrides.query_prefix, prompts, QUERY_PROMPTS),
        passage_prefix=passage,
        dimension=_count(record(home / "config.json").get("hidden_size")),
        tokens=_tokens(home),
        name=f"onnx/{home.name}@{_digest([*weights(model), tokenizer], f'{pooling}|{passage}')}",
    )


def model_file(path: Path) -> Path:
    """Return the ONNX file that is meant. Raises ConfigError."""
    if path.suffix == ".onnx" and path.is_file():
        return path
    if not path.is_dir():
        raise ConfigError(Message("embedder.folder_not_found", path=path))
    for known in (path / MODEL, path / ONNX_FOLDER / MODEL):
        if known.is_file():
            return known
    found = sorted([*path.glob("*.onnx"), *(path / ONNX_FOLDER).glob("*.onnx")])
    if len(found) == 1:
        return found[0]
    if found:
        names = Names(str(file.relative_to(path)) for file in found)
        raise ConfigError(Message("embedder.several_onnx_files", path=path, names=names))
    raise ConfigError(Message("embedder.no_onnx_file", path=path, model=MODEL, folder=ONNX_FOLDER))


def weights(model: Path) -> list[Path]:
    """Return the files of a model: itself, and the tensors that it keeps beside it."""
    return [model, *sorted(file for file in model.parent.glob(f"{model.name}[._]*") if file.is_file())]


def record(file: Path) -> dict[str, Any]:
    """Return the JSON object of a file; empty where there is none. Raises ConfigError."""
    found = _json(file)
    return found if isinstance(found, dict) else {}


def _json(file: Path) -> Any:
    if not file.is_file():
        return None
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(Message("embedder.file_unreadable", file=file, reason=error)) from error


def _prefix(override: str | None, prompts: Any, names: tuple[str, ...]) -> str:
    if override is not None:
        return override
    known = prompts if isinstance(prompts, dict) else {}
    return next((str(known[name]) for name in names if known.get(name)), "")


def _tokens(home: Path) -> int:
    """Return how many tokens a model reads: the first limit that its files name."""
    limits = (
        record(home / "sentence_bert_config.json").get("max_seq_length"),
        record(home / "tokenizer_config.json").get("model_max_length"),
        record(home / "config.json").get("max_position_embeddings"),
    )
    found = next((count for value in limits if (count := _count(value)) is not None), DEFAULT_TOKENS)
    return min(found, MOST_TOKENS)


def _count(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and value >= 1 else None


def _digest(files: list[Path], settings: str) -> str:
    found = hashlib.sha256(settings.encode())
    for file in files:
        with file.open("rb") as stream:
            found.update(hashlib.file_digest(stream, "sha256").digest())
    return found.hexdigest()[:12]


WHOLE_OUTPUT = "sentence_embedding"
TOKEN_OUTPUTS = ("last_hidden_state", "token_embeddings")
INPUTS = {"input_ids", "attention_mask", "token_type_ids", "position_ids"}
PROBE = "雾散即归"
TOKEN_RANK = 3


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model in memory; several threads may ask it at once."""

    session: "InferenceSession"
    tokenizer: "Tokenizer"
    output: str
    pooling: Pooling | None

    def vector(self, text: str) -> Vector:
        encoding = self.tokenizer.encode(text)
        rows = {
            "input_ids": encoding.ids,
            "attention_mask": encoding.attention_mask,
            "token_type_ids": encoding.type_ids,
            "position_ids": list(range(len(encoding.ids))),
        }
        feed = {one.name: np.array([rows[one.name]], np.int64) for one in self.session.get_inputs()}
        found = np.asarray(self.session.run([self.output], feed)[0])[0]
        return np.asarray(unit(self._pooled(found).astype(np.float32)), np.float32)

    def _pooled(self, found: NDArray[Any]) -> NDArray[Any]:
        """Return one vector for the tokens' rows; there is no padding among them."""
        if found.ndim == 1:
            return found
        if self.pooling == "mean":
            mean: NDArray[Any] = found.mean(axis=0)
            return mean
        return np.asarray(found[0 if self.pooling == "cls" else -1])


class OnnxModel:
    """A model of a folder. Loading it embeds a word, so that a model that does not fit is found then."""

    def __init__(self, path: Path, overrides: ModelOverrides) -> None:
        self._path = path
        self._overrides = overrides
        self._loading = Lock()

    @cached_property
    def _folder(self) -> ModelFolder:
        return read_folder(self._path, self._overrides)

    @property
    def name(self) -> str:
        """Identity of the model. Raises ConfigError."""
        return self._folder.name

    @property
    def dimension(self) -> int:
        """Length of a vector; a model whose files do not say it is loaded. Raises ConfigError."""
        return self._folder.dimension or self._probed

    def load(self) -> None:
        with self._loading:
            found = self._probed
        if self._folder.dimension not in (None, found):
            raise self._wrong(Message("embedder.hidden_size_differs", told=self._folder.dimension, found=found))

    def query(self, text: str) -> Vector:
        with self._errors():
            return self._loaded.vector(self._folder.query_prefix + text)

    def parts(self, text: str) -> list[str]:
        return fitting(text, self._folder.tokens - len(self._folder.passage_prefix))

    def windows(self, texts: Sequence[str]) -> NDArray[np.floating]:
        with self._errors():
            return np.stack([self._loaded.vector(self._folder.passage_prefix + text) for text in texts])

    @cached_property
    def _probed(self) -> int:
        with self._errors():
            return len(self._loaded.vector(PROBE))

    @cached_property
    def _loaded(self) -> Loaded:
        require_extra("onnx", f"EMBEDDING_MODEL={self._path}")
        try:
            import onnxruntime as runtime
            from tokenizers import Tokenizer
        except ImportError as error:
            raise ConfigError(f"EMBEDDING_MODEL={self._path}：{say('embedder.runtime_missing')}（{error}）") from error
        tokenizer = Tokenizer.from_file(str(self._folder.tokenizer))
        tokenizer.enable_truncation(self._folder.tokens)
        tokenizer.no_padding()
        session: InferenceSession = runtime.InferenceSession(
            str(self._folder.model), session_options(runtime), providers=["CPUExecutionProvider"]
        )
        unknown = {one.name for one in session.get_inputs()} - INPUTS
        if unknown:
            raise self._wrong(Message("embedder.unknown_inputs", names=Names(sorted(unknown))))
        return Loaded(session, tokenizer, self._output(session), self._folder.pooling)

    def _output(self, session: "InferenceSession") -> str:
        """Return the output to read: vectors of tokens where they are to be pooled, else the whole text's."""
        ranks = {one.name: len(one.shape) for one in session.get_outputs()}
        tokens = [name for name in TOKEN_OUTPUTS if name in ranks]
        tokens += [name for name, rank in ranks.items() if rank == TOKEN_RANK and name not in tokens]
        whole = [name for name, rank in ranks.items() if rank == TOKEN_RANK - 1]
        if self._folder.pooling and tokens:
            return tokens[0]
        if whole:
            return WHOLE_OUTPUT if WHOLE_OUTPUT in whole else whole[0]
        raise self._wrong(Message("embedder.pooling_unknown"))

    def _wrong(self, reason: Text) -> ConfigError:
        return ConfigError(Message("embedder.wrong_setting", path=self._path, reason=reason))

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Name the model where the runtime or the tokenizer refuses it; both raise exceptions of no common class."""
        try:
            yield
        except BaseException as error:
            if type(error) is not Exception and not type(error).__module__.startswith("onnxruntime"):
                raise
            raise self._wrong(Message("embedder.model_file_not_usable", reason=short_reason(error))) from error
