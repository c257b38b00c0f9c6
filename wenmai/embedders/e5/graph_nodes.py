"""Nodes and constants of an ONNX graph under construction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, numpy_helper

CONTRIB = "com.microsoft"
OPSETS = (("", 17), (CONTRIB, 1))
IR_VERSION = 9
TOP = 64  # largest absolute weight in seven bits
Shape = Sequence[str | int | None]
Value = tuple[int, Shape]
"""Element type and shape of an input or output."""


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
        """Add a node with one output."""
        self.nodes.append(helper.make_node(operator, list(inputs), [output], **attributes))
        return output

    def contrib(self, operator: str, inputs: Sequence[str], output: str, **attributes: Any) -> str:
        """Add a node of ONNX Runtime's own operators."""
        return self.add(operator, inputs, output, domain=CONTRIB, **attributes)

    def constant(self, name: str, value: NDArray[Any]) -> str:
        """Add a constant."""
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
        """Return the model."""
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
