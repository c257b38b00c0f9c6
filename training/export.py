"""Write the trained encoder with its heads as one ONNX file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto

from training.graph import GraphNodes, Value
from wenmai.embedders.e5.weights import Weights
from wenmai.reader.layout import COLUMNS
from wenmai.reader.reader import LOGITS, SEGMENTS, WORDS

Precision = Literal["int8", "float32"]
THIRDS = "thirds"


def export(state: Path, target: Path, weights: Weights, precision: Precision) -> int:
    """Write a graph of one input: `embedded` (1, tokens, hidden) and `segments` (1, tokens) to `logits`.

    Args:
        state: what training saved.
        target: the ONNX file.
        weights: the encoder's shape.
        precision: of the matrices; int8 has one scale for each output channel and seven bits, as the embedder's.

    Returns:
        Bytes written.
    """
    with np.load(state) as arrays:
        tensors = {key.removeprefix("parts/"): arrays[key] for key in arrays.files if key.startswith("parts/")}
    return target.write_bytes(_Graph(tensors, weights, precision).serialized())


@dataclass(frozen=True, slots=True)
class _Graph:
    tensors: Mapping[str, NDArray[np.float32]]
    weights: Weights
    precision: Precision
    parts: GraphNodes = field(default_factory=GraphNodes)

    def serialized(self) -> bytes:
        """Return the whole model."""
        shape, parts = self.weights.shape, self.parts
        table = parts.constant("segments.table", self.tensors["segments"])
        vectors = parts.add("Gather", [table, SEGMENTS], "segments.vectors")
        state = self.normalized(parts.add("Add", [WORDS, vectors], "embedded.sum"), "emb.ln")
        parts.constant(THIRDS, np.full(3, shape.hidden, np.int64))
        for layer in range(shape.layers):
            state = self.layer(state, f"l{layer}.")
        head = parts.add("MatMul", [state, parts.constant("head.w", self.tensors["head.w"])], "head.product")
        parts.add("Add", [head, parts.constant("head.b", self.tensors["head.b"])], LOGITS)
        inputs: dict[str, Value] = {
            WORDS: (TensorProto.FLOAT, [1, "tokens", shape.hidden]),
            SEGMENTS: (TensorProto.INT64, [1, "tokens"]),
        }
        return parts.serialized("wenmai-reader", inputs, {LOGITS: (TensorProto.FLOAT, [1, "tokens", COLUMNS])})

    def layer(self, state: str, name: str) -> str:
        """Add attention and feed-forward, each with its residual and normalization."""
        context = self.parts.attention(self.linear(state, f"{name}qkv"), name, THIRDS, self.weights.shape.heads)
        state = self.normalized(state, f"{name}aln", self.linear(context, f"{name}ao"))
        inner = self.parts.contrib("FastGelu", [self.linear(state, f"{name}fi")], f"{name}gelu")
        return self.normalized(state, f"{name}oln", self.linear(inner, f"{name}fo"))

    def linear(self, state: str, name: str) -> str:
        """Multiply by a matrix (in, out) and add a vector."""
        matrix, bias = self.tensors[f"{name}.w"], self.tensors[f"{name}.b"]
        if self.precision == "int8":
            return self.parts.quantized_product(state, name, matrix.T, bias)
        product = self.parts.add("MatMul", [state, self.parts.constant(f"{name}.w", matrix)], f"{name}.product")
        return self.parts.add("Add", [product, self.parts.constant(f"{name}.b", bias)], f"{name}.sum")

    def normalized(self, state: str, name: str, residual: str | None = None) -> str:
        """Normalize, after the residual was added."""
        values = [self.tensors[f"{name}.{part}"] for part in "wb"]
        return self.parts.normalized(state, name, values, self.weights.shape.epsilon, residual)
