"""The twelve layers of the encoder as an ONNX graph, from embedded tokens to hidden states.

Weights become int8 with one scale for each output channel and seven bits of range: with eight, the products of
unsigned activations overflow 16 bits on processors without VNNI, and vectors would differ from machine to machine.
Activations are quantized while the graph runs, one scale for each tensor. Where a few of them are far larger than the
rest, that scale is too coarse: there the four bits of the file are kept, with a scale for every 32 activations, which
halves the whole graph's distance to exact arithmetic for 3 % more time. Word vectors stay in the file of weights.

The graph without its numbers comes along (`layers.onnx`, written by `python -m training.graph`), so that nobody has to
install what builds graphs.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wenmai.embedders.e5.weights import Weights, dequantized, split

LAYERS = Path(__file__).with_name("layers.onnx")
OUTLIER_LAYERS = (0, 4, 5)  # layers with a few very large activations before the second matrix of the feed-forward part
THIRDS = "thirds"
TOP = 64  # largest absolute weight in seven bits
FIELDS = {"Model": ("graph", 7, "Graph"), "Graph": ("initializer", 5, "Tensor")}
"""Of ONNX's messages what leads to the tensors, with the numbers of `onnx.proto`; the rest stays as it is."""


def quantized(matrix: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return a matrix (out, in) as int8 (in, out) and the scale of each output channel (out,)."""
    scales = np.maximum(np.abs(matrix).max(axis=1), np.finfo(np.float32).tiny) / TOP
    return np.ascontiguousarray(np.rint(matrix / scales[:, None]).astype(np.int8).T), scales.astype(np.float32)


def layers_graph(weights: Weights) -> bytes:
    """Return the serialized model: `embedded` (1, tokens, hidden) to `hidden` of the same shape, one text alone."""
    constants = layer_constants(weights)
    model = _messages()["Model"]()
    model.ParseFromString(LAYERS.read_bytes())
    for tensor in model.graph.initializer:
        tensor.raw_data = constants[tensor.name].tobytes()
    serialized: bytes = model.SerializeToString()
    return serialized


def layer_constants(weights: Weights) -> dict[str, NDArray[Any]]:
    """Return the numbers of the graph by the names of its tensors, which are those of the file of weights."""
    shape = weights.shape
    found: dict[str, NDArray[Any]] = {THIRDS: np.full(3, shape.hidden, np.int64)}
    norms = ["emb.ln", *(f"l{layer}.{norm}" for layer in range(shape.layers) for norm in ("aln", "oln"))]
    found |= {f"{norm}.{part}": weights.vector(f"{norm}.{part}") for norm in norms for part in "wb"}
    for layer in range(shape.layers):
        name = f"l{layer}."
        found |= _linear(weights, [f"{name}{part}" for part in "qkv"], shape.hidden, shape.hidden)
        found |= _linear(weights, [f"{name}ao"], shape.hidden, shape.hidden)
        found |= _linear(weights, [f"{name}fi"], shape.inner, shape.hidden)
        narrowed = _blockwise if layer in OUTLIER_LAYERS else _linear
        found |= narrowed(weights, [f"{name}fo"], shape.hidden, shape.inner)
    return found


def _linear(weights: Weights, names: Sequence[str], rows: int, columns: int) -> Mapping[str, NDArray[Any]]:
    """Return one matrix, or several side by side, in int8, with the vector that is added."""
    matrix = np.concatenate([dequantized(weights.blocks(f"{name}.w", rows, columns)) for name in names])
    bias = np.concatenate([weights.floats(f"{name}.b", rows) for name in names])
    numbers, scales = quantized(matrix)
    return {f"{names[0]}.w": numbers, f"{names[0]}.scale": scales, f"{names[0]}.b": bias}


def _blockwise(weights: Weights, names: Sequence[str], rows: int, columns: int) -> Mapping[str, NDArray[Any]]:
    """Return a matrix in its blocks of four bits, with the vector that is added."""
    [name] = names
    numbers, scales = repacked(weights.blocks(f"{name}.w", rows, columns))
    return {f"{name}.w": numbers, f"{name}.scale": scales, f"{name}.b": weights.floats(f"{name}.b", rows)}


def repacked(blocks: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Return Q4_0 blocks as MatMulNBits reads them: neighbours share a byte; and the scales, flat."""
    numbers, scales = split(blocks)
    return np.asarray(numbers[..., 0::2] | numbers[..., 1::2] << 4, np.uint8), scales.reshape(-1)


def _messages() -> dict[str, Any]:
    """Return the classes of the messages that lead to a model's tensors; other fields are kept unread."""
    from google.protobuf import (  # type: ignore[import-untyped]  # it ships no types
        descriptor_pb2,
        descriptor_pool,
        message_factory,
    )

    field = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="wenmai/layers.proto", package="wenmai", syntax="proto2")
    for name, (inner, number, kind) in FIELDS.items():
        file.message_type.add(name=name).field.add(
            name=inner,
            number=number,
            type=field.TYPE_MESSAGE,
            type_name=f".wenmai.{kind}",
            label=field.LABEL_REPEATED if kind == "Tensor" else field.LABEL_OPTIONAL,
        )
    tensor = file.message_type.add(name="Tensor")
    tensor.field.add(name="name", number=8, type=field.TYPE_STRING, label=field.LABEL_OPTIONAL)
    tensor.field.add(name="raw_data", number=9, type=field.TYPE_BYTES, label=field.LABEL_OPTIONAL)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    classes: dict[str, Any] = message_factory.GetMessageClassesForFiles([file.name], pool)
    return {name.removeprefix("wenmai."): kind for name, kind in classes.items()}
