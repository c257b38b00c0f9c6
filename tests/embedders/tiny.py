"""A real ONNX model of a few numbers with a real tokenizer: a token's vector is its row of a table."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper, save_model
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Split
from tokenizers.processors import TemplateProcessing

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *"雾灯塔海船夜风停即返问文："]
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def table(dimension: int) -> NDArray[np.float32]:
    """Return the vectors of the tokens."""
    return np.random.default_rng(7).normal(size=(len(WORDS), dimension)).astype(np.float32)


def write_model(
    file: Path, dimension: int = 8, inputs: Sequence[str] = INPUTS, *, output: str = "last_hidden_state"
) -> None:
    """Write the model; as `sentence_embedding` it gives the mean of a text's tokens."""
    whole = output == "sentence_embedding"
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["rows"])]
    if whole:
        nodes.append(helper.make_node("ReduceMean", ["rows", "axis"], [output], keepdims=0))
    else:
        nodes.append(helper.make_node("Identity", ["rows"], [output]))
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"]) for name in inputs],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, ["b", *([] if whole else ["n"]), dimension])],
        [
            numpy_helper.from_array(table(dimension), "table"),
            numpy_helper.from_array(np.array([1], np.int64), "axis"),
        ],
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    save_model(model, str(file))


def write_tokenizer(folder: Path) -> None:
    """Write a tokenizer that takes every character for a word."""
    tokenizer = Tokenizer(WordLevel({word: id for id, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Split("", "isolated")
    tokenizer.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    tokenizer.save(str(folder / "tokenizer.json"))


def write_folder(folder: Path, *, pooling: str | None = "cls", dimension: int = 8, **config: object) -> Path:
    """Write a model's folder as model hubs publish it."""
    write_model(folder / "model.onnx", dimension)
    write_tokenizer(folder)
    write_json(folder / "config.json", {"hidden_size": dimension, **config})
    if pooling:
        fields = {"cls": "pooling_mode_cls_token", "mean": "pooling_mode_mean_tokens", "last": "pooling_mode_lasttoken"}
        write_json(folder / "1_Pooling" / "config.json", {fields[pooling]: True})
    return folder


def write_json(file: Path, value: object) -> None:
    """Write a JSON file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")


def expected(text: str, pooling: str, dimension: int = 8) -> list[float]:
    """Return the unit vector that a text must have."""
    ids = [2, *(WORDS.index(word) if word in WORDS else 1 for word in text), 3]
    rows = table(dimension)[ids]
    vector = {"cls": rows[0], "mean": rows.mean(axis=0), "last": rows[-1]}[pooling]
    found: list[float] = (vector / np.linalg.norm(vector)).tolist()
    return found
