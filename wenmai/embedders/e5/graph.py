"""The twelve layers of the encoder as an ONNX graph, from embedded tokens to hidden states.

Weights become int8 with one scale for each output channel and seven bits of range: with eight, the products of
unsigned activations overflow 16 bits on processors without VNNI, and vectors would differ from machine to machine.
Activations are quantized while the graph runs, one scale for each tensor. Where a few of them are far larger than the
rest, that scale is too coarse: there the four bits of the file are kept, with a scale for every 32 activations, which
halves the whole graph's distance to exact arithmetic for 3 % more time. Word vectors stay in the file of weights.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, numpy_helper

from wenmai.embedders.e5.weights import BLOCK, Weights, dequantized, split

CONTRIB = "com.microsoft"
OPSETS = (("", 17), (CONTRIB, 1))
IR_VERSION = 9
TOP = 64  # largest absolute weight in seven bits
Shape = Sequence[str | int | None]
Value = tuple[int, Shape]  # element type and shape of an input or output


def quantized(matrix: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return a matrix (out, in) as int8 (in, out) and the scale of each output channel (out,)."""
    scales = np.maximum(np.abs(matrix).max(axis=1), np.finfo(np.float32).tiny) / TOP
    return np.ascontiguousarray(np.rint(matrix / scales[:, None]).astype(np.int8).T), scales.astype(np.float32)


@dataclass(slots=True)
class GraphNodes:
    """Every method adds nodes and returns the name of their output; a constant has the name of its tensor."""

    nodes: list[NodeProto] = field(default_factory=list)
    constants: list[TensorProto] = field(default_factory=list)

    def add(self, operator: str, inputs: Sequence[str], output: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(operator, list(inputs), [output], **attributes))
        return output

    def contrib(self, operator: str, inputs: Sequence[str], output: str, **attributes: Any) -> str:
        """Add a node of ONNX Runtime's own operators."""
        return self.add(operator, inputs, output, domain=CONTRIB, **attributes)

    def constant(self, name: str, value: NDArray[Any]) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def quantized_product(self, state: str, name: str, matrix: NDArray[np.float32], bias: NDArray[np.float32]) -> str:
        """Multiply by a matrix (out, in) in int8 and add a vector (out,)."""
        numbers, scales = quantized(matrix)
        constants = [
            self.constant(f"{name}.w", numbers),
            self.constant(f"{name}.scale", scales),
            "",
            self.constant(f"{name}.b", bias),
        ]
        return self.contrib("DynamicQuantizeMatMul", [state, *constants], f"{name}.product")

    def attention(self, joined: str, name: str, thirds: str, heads: int) -> str:
        """Attend with query, key and value, which stand side by side; `thirds` is the constant of their widths."""
        outputs = [f"{name}{part}.out" for part in "qkv"]
        self.nodes.append(helper.make_node("Split", [joined, thirds], outputs, axis=-1))
        return self.contrib("MultiHeadAttention", outputs, f"{name}context", num_heads=heads)

    def normalized(
        self, state: str, name: str, parts: Sequence[NDArray[np.float32]], epsilon: float, residual: str | None = None
    ) -> str:
        """Normalize a state, after the residual was added to it; `parts` are the layer's weight and bias."""
        constants = [self.constant(f"{name}.{part}", value) for part, value in zip("wb", parts, strict=True)]
        if residual is None:
            return self.add("LayerNormalization", [state, *constants], f"{name}.out", axis=-1, epsilon=epsilon)
        inputs = [state, residual, *constants]
        return self.contrib("SkipLayerNormalization", inputs, f"{name}.out", epsilon=epsilon)

    def serialized(self, name: str, inputs: Mapping[str, Value], outputs: Mapping[str, Value]) -> bytes:
        given, made = (
            [helper.make_tensor_value_info(key, kind, shape) for key, (kind, shape) in values.items()]
            for values in (inputs, outputs)
        )
        model = helper.make_model(
            helper.make_graph(self.nodes, name, given, made, self.constants),
            opset_imports=[helper.make_opsetid(domain, version) for domain, version in OPSETS],
            ir_version=IR_VERSION,
        )
        serialized: bytes = model.SerializeToString()
        return serialized


INPUT, OUTPUT = "embedded", "hidden"
OUTLIER_LAYERS = (0, 4, 5)  # layers with a few very large activations before the second matrix of the feed-forward part
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
        parts = [self.weights.vector(f"{name}.{part}") for part in "wb"]
        return self.parts.normalized(state, name, parts, self.weights.shape.epsilon, residual)
