"""The twelve layers of the encoder as an ONNX graph, from embedded tokens to hidden states.

Weights become int8 with one scale for each output channel and seven bits of range: with eight, the products of
unsigned activations overflow 16 bits on processors without VNNI, and vectors would differ from machine to machine.
Activations are quantized while the graph runs, one scale for each tensor. Where a few of them are far larger than the
rest, that scale is too coarse: there the four bits of the file are kept, with a scale for every 32 activations, which
halves the whole graph's distance to exact arithmetic for 3 % more time. Word vectors stay in the file of weights.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto

from wenmai.embedders.e5.graph_nodes import GraphNodes, Shape
from wenmai.embedders.e5.weights import BLOCK, Weights, dequantized, split

INPUT, OUTPUT = "embedded", "hidden"
OUTLIER_LAYERS = (0, 4, 5)
"""Layers with a few very large activations before the second matrix of the feed-forward part."""
EIGHT_BIT_ACTIVATIONS = 4  # of MatMulNBits' accuracy_level
THIRDS = "thirds"


def layers_graph(weights: Weights) -> bytes:
    """Return the serialized model: `embedded` (1, tokens, hidden) to `hidden` of the same shape, one text alone."""
    graph = _Graph(weights)
    graph.parts.constant(THIRDS, np.full(3, weights.shape.hidden, np.int64))
    state = graph.normalized(INPUT, "emb.ln")
    for layer in range(weights.shape.layers):
        state = graph.layer(state, layer)
    graph.parts.add("Identity", [state], OUTPUT)
    shape: Shape = [1, "tokens", weights.shape.hidden]
    value = (TensorProto.FLOAT, shape)
    return graph.parts.serialized("multilingual-e5-small", {INPUT: value}, {OUTPUT: value})


def repacked(blocks: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Return Q4_0 blocks as MatMulNBits reads them: neighbours share a byte; and the scales, flat."""
    numbers, scales = split(blocks)
    return np.asarray(numbers[..., 0::2] | numbers[..., 1::2] << 4, np.uint8), scales.reshape(-1)


@dataclass(frozen=True, slots=True)
class _Graph:
    """The graph under construction; a name of a tensor in the weights is one of the graph's, too."""

    weights: Weights
    parts: GraphNodes = field(default_factory=GraphNodes)

    def layer(self, state: str, layer: int) -> str:
        """Add one layer of attention and feed-forward, each with its residual and normalization."""
        name, hidden, inner = f"l{layer}.", self.weights.shape.hidden, self.weights.shape.inner
        joined = self.linear(state, [f"{name}{part}" for part in "qkv"], hidden, hidden)
        attended = self.parts.attention(joined, name, THIRDS, self.weights.shape.heads)
        projected = self.linear(attended, [f"{name}ao"], hidden, hidden)
        state = self.normalized(state, f"{name}aln", projected)
        widened = self.linear(state, [f"{name}fi"], inner, hidden)
        activated = self.parts.contrib("Gelu", [widened], f"{name}gelu")
        if layer in OUTLIER_LAYERS:
            narrowed = self.blockwise(activated, f"{name}fo", hidden, inner)
        else:
            narrowed = self.linear(activated, [f"{name}fo"], hidden, inner)
        return self.normalized(state, f"{name}oln", narrowed)

    def linear(self, state: str, names: Sequence[str], rows: int, columns: int) -> str:
        """Multiply by one matrix, or by several at once, side by side."""
        matrix = np.concatenate([dequantized(self.weights.blocks(f"{name}.w", rows, columns)) for name in names])
        bias = np.concatenate([self.weights.floats(f"{name}.b", rows) for name in names])
        return self.parts.quantized_product(state, names[0], matrix, bias)

    def blockwise(self, state: str, name: str, rows: int, columns: int) -> str:
        """Multiply by a matrix in its blocks of four bits."""
        numbers, scales = repacked(self.weights.blocks(f"{name}.w", rows, columns))
        constants = [self.parts.constant(f"{name}.w", numbers), self.parts.constant(f"{name}.scale", scales)]
        shape = {"K": columns, "N": rows, "bits": 4, "block_size": BLOCK, "accuracy_level": EIGHT_BIT_ACTIVATIONS}
        product = self.parts.contrib("MatMulNBits", [state, *constants], f"{name}.product", **shape)
        bias = self.parts.constant(f"{name}.b", self.weights.floats(f"{name}.b", rows))
        return self.parts.add("Add", [product, bias], f"{name}.sum")

    def normalized(self, state: str, name: str, residual: str | None = None) -> str:
        """Normalize a layer's state, after the residual was added to it."""
        parts = [self.weights.vector(f"{name}.{part}") for part in "wb"]
        return self.parts.normalized(state, name, parts, self.weights.shape.epsilon, residual)
