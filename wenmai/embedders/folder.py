"""Read how a model is to be used from the files beside it, in the layout of sentence-transformers."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.errors import ConfigError
from tools.wording import Words
from wenmai.settings.models import Pooling

UNREADABLE = Words(
    "EMBEDDING_MODEL：无法读取 {file}（{reason}），请重新取得模型文件",
    "EMBEDDING_MODEL: {file} cannot be read ({reason}); fetch the model's files again",
)
NO_ONNX = Words(
    "EMBEDDING_MODEL={path}：文件夹中没有 .onnx 模型（应为 {model} 或 {folder}/{model}）",
    "EMBEDDING_MODEL={path}: the folder has no .onnx model (as {model} or {folder}/{model})",
)
SEVERAL = Words(
    "EMBEDDING_MODEL={path}：其中有几个模型（{names}），请写出要用的那个文件",
    "EMBEDDING_MODEL={path}: it has several models ({names}); name the file to use",
)
NO_FOLDER = Words(
    "EMBEDDING_MODEL={path}：没有这个文件夹，也不是 .onnx 文件",
    "EMBEDDING_MODEL={path}: there is no such folder, and it is no .onnx file",
)
DENSE_LAYERS = Words(
    "EMBEDDING_MODEL={path}：该模型在池化之后还有全连接层（modules.json），不支持这样的模型",
    "EMBEDDING_MODEL={path}: the model has dense layers behind its pooling (modules.json), which is not supported",
)
NO_TOKENIZER = Words(
    "EMBEDDING_MODEL={path}：{home} 中没有 {file}，请把模型的分词器文件放到模型旁边",
    "EMBEDDING_MODEL={path}: {home} has no {file}; put the model's tokenizer beside it",
)
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
        raise ConfigError(NO_TOKENIZER.of(path=path, home=home, file=TOKENIZER))
    if any("Dense" in str(module.get("type")) for module in rows(home / "modules.json")):
        raise ConfigError(DENSE_LAYERS.of(path=path))
    prompts = record(home / "config_sentence_transformers.json").get("prompts")
    pooling = overrides.pooling or _pooling(record(home / "1_Pooling" / "config.json"))
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
        raise ConfigError(NO_FOLDER.of(path=path))
    for known in (path / MODEL, path / ONNX_FOLDER / MODEL):
        if known.is_file():
            return known
    found = sorted([*path.glob("*.onnx"), *(path / ONNX_FOLDER).glob("*.onnx")])
    if len(found) == 1:
        return found[0]
    if found:
        names = "、".join(str(file.relative_to(path)) for file in found)
        raise ConfigError(SEVERAL.of(path=path, names=names))
    raise ConfigError(NO_ONNX.of(path=path, model=MODEL, folder=ONNX_FOLDER))


def weights(model: Path) -> list[Path]:
    """Return the files of a model: itself, and the tensors that it keeps beside it."""
    return [model, *sorted(file for file in model.parent.glob(f"{model.name}[._]*") if file.is_file())]


def record(file: Path) -> dict[str, Any]:
    """Return the JSON object of a file; empty where there is none. Raises ConfigError."""
    found = _json(file)
    return found if isinstance(found, dict) else {}


def rows(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSON list in a file. Raises ConfigError."""
    found = _json(file)
    yield from (row for row in found if isinstance(row, dict)) if isinstance(found, list) else ()


def _json(file: Path) -> Any:
    if not file.is_file():
        return None
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(UNREADABLE.of(file=file, reason=error)) from error


def _pooling(config: dict[str, Any]) -> Pooling | None:
    return next((mode for field, mode in MODES.items() if config.get(field) is True), None)


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
