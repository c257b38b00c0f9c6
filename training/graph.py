"""Graphs of ONNX, and the embedder's without its numbers: `python -m training.graph` writes it into the package."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, load_model_from_string, numpy_helper

from wenmai.embedders.e5.graph import LAYERS, OUTLIER_LAYERS, THIRDS, layer_constants, quantized
from wenmai.embedders.e5.weights import BLOCK, Weights, open_weights

CONTRIB = "com.microsoft"
OPSETS = (("", 17), (CONTRIB, 1))
IR_VERSION = 9
Shape = Sequence[str | int | None]
Value = tuple[int, Shape]  # element type and shape of an input or output


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
        self.constant(f"{name}.w", numbers)
        self.constant(f"{name}.scale", scales)
        self.constant(f"{name}.b", bias)
        return self.product_of_constants(state, name)

    def product_of_constants(self, state: str, name: str) -> str:
        """Multiply by a matrix in int8 and add a vector, where all of them are constants."""
        constants = [f"{name}.w", f"{name}.scale", "", f"{name}.b"]
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
        for part, value in zip("wb", parts, strict=True):
            self.constant(f"{name}.{part}", value)
        return self.normalized_by_constants(state, name, epsilon, residual)

    def normalized_by_constants(self, state: str, name: str, epsilon: float, residual: str | None = None) -> str:
        constants = [f"{name}.{part}" for part in "wb"]
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
EIGHT_BIT_ACTIVATIONS = 4  # of MatMulNBits' accuracy_level


def empty_layers(weights: Weights) -> bytes:
    """Return the embedder's graph with the shapes of its tensors and none of their numbers."""
    model = load_model_from_string(whole_layers(weights))
    for tensor in model.graph.initializer:
        tensor.ClearField("raw_data")
    serialized: bytes = model.SerializeToString()
    return serialized


def whole_layers(weights: Weights) -> bytes:
    """Return the embedder's graph with its numbers, as the package makes it from the empty one."""
    graph = _Layers(weights)
    for name, numbers in layer_constants(weights).items():
        graph.parts.constant(name, numbers)
    state = graph.normalized(INPUT, "emb.ln")
    for layer in range(weights.shape.layers):
        state = graph.layer(state, layer)
    graph.parts.add("Identity", [state], OUTPUT)
    shape: Shape = [1, "tokens", weights.shape.hidden]
    value = (TensorProto.FLOAT, shape)
    return graph.parts.serialized("multilingual-e5-small", {INPUT: value}, {OUTPUT: value})


@dataclass(frozen=True, slots=True)
class _Layers:
    """The graph under construction; its constants are there."""

    weights: Weights
    parts: GraphNodes = field(default_factory=GraphNodes)

    def layer(self, state: str, layer: int) -> str:
        """Add one layer of attention and feed-forward, each with its residual and normalization."""
        name, linear = f"l{layer}.", self.parts.product_of_constants
        attended = self.parts.attention(linear(state, f"{name}q"), name, THIRDS, self.weights.shape.heads)
        state = self.normalized(state, f"{name}aln", linear(attended, f"{name}ao"))
        activated = self.parts.contrib("Gelu", [linear(state, f"{name}fi")], f"{name}gelu")
        narrowed = self.blockwise if layer in OUTLIER_LAYERS else linear
        return self.normalized(state, f"{name}oln", narrowed(activated, f"{name}fo"))

    def blockwise(self, state: str, name: str) -> str:
        """Multiply by a matrix in its blocks of four bits."""
        columns, rows = self.weights.shape.inner, self.weights.shape.hidden
        shape = {"K": columns, "N": rows, "bits": 4, "block_size": BLOCK, "accuracy_level": EIGHT_BIT_ACTIVATIONS}
        product = self.parts.contrib("MatMulNBits", [state, f"{name}.w", f"{name}.scale"], f"{name}.product", **shape)
        return self.parts.add("Add", [product, f"{name}.b"], f"{name}.sum")

    def normalized(self, state: str, name: str, residual: str | None = None) -> str:
        return self.parts.normalized_by_constants(state, name, self.weights.shape.epsilon, residual)


if __name__ == "__main__":
    LAYERS.write_bytes(empty_layers(open_weights()))
