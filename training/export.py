"""Write the trained encoder with its heads as one ONNX file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, numpy_helper

from wenmai.embedders.e5.graph import CONTRIB, IR_VERSION, OPSETS, quantized
from wenmai.embedders.e5.weights import Weights
from wenmai.reader.layout import COLUMNS
from wenmai.reader.model import LOGITS, SEGMENTS, WORDS

Precision = Literal["int8", "float32"]


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
        parts = {key.removeprefix("parts/"): arrays[key] for key in arrays.files if key.startswith("parts/")}
    graph = _Graph(parts, weights, precision)
    model = helper.make_model(
        graph.made(), opset_imports=[helper.make_opsetid(*opset) for opset in OPSETS], ir_version=IR_VERSION
    )
    return target.write_bytes(model.SerializeToString())


@dataclass(slots=True)
class _Graph:
    parts: Mapping[str, NDArray[np.float32]]
    weights: Weights
    precision: Precision
    nodes: list[NodeProto] = field(default_factory=list)
    constants: list[TensorProto] = field(default_factory=list)

    def made(self) -> Any:
        """Return the graph."""
        shape = self.weights.shape
        table = self.constant("segments.table", self.parts["segments"])
        state = self.add("Add", [WORDS, self.add("Gather", [table, SEGMENTS], "segments.vectors")], "embedded.sum")
        state = self.normalized(state, "emb.ln")
        self.constant("thirds", np.full(3, shape.hidden, np.int64))
        for layer in range(shape.layers):
            state = self.layer(state, f"l{layer}.")
        head = self.add("MatMul", [state, self.constant("head.w", self.parts["head.w"])], "head.product")
        self.add("Add", [head, self.constant("head.b", self.parts["head.b"])], LOGITS)
        value = helper.make_tensor_value_info
        inputs = [
            value(WORDS, TensorProto.FLOAT, [1, "tokens", shape.hidden]),
            value(SEGMENTS, TensorProto.INT64, [1, "tokens"]),
        ]
        outputs = [value(LOGITS, TensorProto.FLOAT, [1, "tokens", COLUMNS])]
        return helper.make_graph(self.nodes, "wenmai-reader", inputs, outputs, self.constants)

    def layer(self, state: str, name: str) -> str:
        """Add attention and feed-forward, each with its residual and normalization."""
        joined = self.linear(state, f"{name}qkv")
        outputs = [f"{name}{part}" for part in "qkv"]
        self.nodes.append(helper.make_node("Split", [joined, "thirds"], outputs, axis=-1))
        context = self.add(
            "MultiHeadAttention", outputs, f"{name}context", domain=CONTRIB, num_heads=self.weights.shape.heads
        )
        state = self.normalized(state, f"{name}aln", self.linear(context, f"{name}ao"))
        inner = self.add("FastGelu", [self.linear(state, f"{name}fi")], f"{name}gelu", domain=CONTRIB)
        return self.normalized(state, f"{name}oln", self.linear(inner, f"{name}fo"))

    def linear(self, state: str, name: str) -> str:
        """Multiply by a matrix (in, out) and add a vector."""
        matrix, bias = self.parts[f"{name}.w"], self.constant(f"{name}.b", self.parts[f"{name}.b"])
        if self.precision == "float32":
            product = self.add("MatMul", [state, self.constant(f"{name}.w", matrix)], f"{name}.product")
            return self.add("Add", [product, bias], f"{name}.sum")
        numbers, scales = quantized(matrix.T)
        constants = [self.constant(f"{name}.w", numbers), self.constant(f"{name}.scale", scales), "", bias]
        return self.add("DynamicQuantizeMatMul", [state, *constants], f"{name}.product", domain=CONTRIB)

    def normalized(self, state: str, name: str, residual: str | None = None) -> str:
        """Normalize, after the residual was added."""
        constants = [self.constant(f"{name}.{part}", self.parts[f"{name}.{part}"]) for part in "wb"]
        epsilon = self.weights.shape.epsilon
        if residual is None:
            return self.add("LayerNormalization", [state, *constants], f"{name}.out", axis=-1, epsilon=epsilon)
        inputs = [state, residual, *constants]
        return self.add("SkipLayerNormalization", inputs, f"{name}.out", domain=CONTRIB, epsilon=epsilon)

    def add(self, operator: str, inputs: Sequence[str], output: str, **attributes: Any) -> str:
        """Add a node with one output and return its name."""
        self.nodes.append(helper.make_node(operator, list(inputs), [output], **attributes))
        return output

    def constant(self, name: str, value: NDArray[Any]) -> str:
        """Add a constant and return its name."""
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name
