"""A folder with an ONNX model and its tokenizer as an engine; nothing is downloaded."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tools.errors import ConfigError
from tools.wording import Names, Text, Words
from wenmai.embedders.folder import ModelFolder, ModelOverrides, read_folder
from wenmai.embedders.runtime import reason_of, session_options
from wenmai.embedders.texts import Vector, fitting, unit
from wenmai.settings.models import Pooling

if TYPE_CHECKING:
    # It ships no types, and pyright does not see through its conditional imports.
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]  # pyright: ignore[reportAttributeAccessIssue]
    from tokenizers import Tokenizer

NOT_USABLE = Words(
    "无法使用模型文件（{reason}），请重新取得模型和 tokenizer.json",
    "the model's file cannot be used ({reason}); fetch the model and its tokenizer.json again",
)
OTHER_INPUTS = Words("不认识模型的输入 {names}", "the model has unknown inputs {names}")
WRONG = Words("EMBEDDING_MODEL={path}：{reason}", "EMBEDDING_MODEL={path}: {reason}")
NO_POOLING = Words(
    "没有文件说明如何由各词的向量得到全文的向量（1_Pooling/config.json），"
    "请按模型的说明设置 EMBEDDING_POOLING=cls、mean 或 last",
    "no file says how the vectors of words make that of a text (1_Pooling/config.json); set EMBEDDING_POOLING=cls, "
    "mean or last as the model's card says",
)
OTHER_LENGTH = Words(
    "config.json 的 hidden_size 是 {told}，模型却给出 {found} 维",
    "config.json has the hidden_size {told}, but the model gives {found}",
)
REINSTALL = Words(
    "请重新安装 wenmai：缺少 onnxruntime 或 tokenizers", "install wenmai again: onnxruntime or tokenizers is missing"
)
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
        """Return the unit vector of a text."""
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
        """Load the model, once. Raises ConfigError."""
        with self._loading:
            found = self._probed
        if self._folder.dimension not in (None, found):
            raise self._wrong(OTHER_LENGTH.of(told=self._folder.dimension, found=found))

    def query(self, text: str) -> Vector:
        """Return the vector of a query."""
        with self._errors():
            return self._loaded.vector(self._folder.query_prefix + text)

    def parts(self, text: str) -> list[str]:
        """Cut a passage into windows that the model reads whole."""
        return fitting(text, self._folder.tokens - len(self._folder.passage_prefix))

    def windows(self, texts: Sequence[str]) -> NDArray[np.floating]:
        """Return one row for each window."""
        with self._errors():
            return np.stack([self._loaded.vector(self._folder.passage_prefix + text) for text in texts])

    @cached_property
    def _probed(self) -> int:
        """The length of a vector that the model gives."""
        with self._errors():
            return len(self._loaded.vector(PROBE))

    @cached_property
    def _loaded(self) -> Loaded:
        try:
            import onnxruntime as runtime
            from tokenizers import Tokenizer
        except ImportError as error:
            raise ConfigError(f"EMBEDDING_MODEL={self._path}：{REINSTALL}（{error}）") from error
        tokenizer = Tokenizer.from_file(str(self._folder.tokenizer))
        tokenizer.enable_truncation(self._folder.tokens)
        tokenizer.no_padding()
        session: InferenceSession = runtime.InferenceSession(
            str(self._folder.model), session_options(runtime), providers=["CPUExecutionProvider"]
        )
        unknown = {one.name for one in session.get_inputs()} - INPUTS
        if unknown:
            raise self._wrong(OTHER_INPUTS.of(names=Names(sorted(unknown))))
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
        raise self._wrong(NO_POOLING)

    def _wrong(self, reason: Text) -> ConfigError:
        return ConfigError(WRONG.of(path=self._path, reason=reason))

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Name the model where the runtime or the tokenizer refuses it; both raise exceptions of no common class."""
        try:
            yield
        except BaseException as error:
            if type(error) is not Exception and not type(error).__module__.startswith("onnxruntime"):
                raise
            raise self._wrong(NOT_USABLE.of(reason=reason_of(error))) from error
