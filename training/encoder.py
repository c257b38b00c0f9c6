"""The encoder in TensorFlow: variables, the forward pass in bfloat16, the loss of all heads.

TensorFlow's oneDNN multiplies bfloat16 at twice the speed of float32 where the processor has AVX-512 BF16. A step of
4,096 tokens takes 2.4 s on two such cores; the same in JAX, which has no bfloat16 kernels, 5.5 s.
"""

import math
from collections.abc import Mapping

import numpy as np
import tensorflow as tf

from wenmai.embedders.e5.weights import Shape, Weights, dequantized
from wenmai.reader.layout import COLUMNS, NAME_TAGS, SPAN_TAGS, Column, Segment

BFLOAT16 = tf.bfloat16
HEAD_DEVIATION, SEGMENT_DEVIATION = 0.02, 0.01
FAR = -1e9
LOSS_WEIGHTS = {
    "span": 1.0,
    "answer": 1.0,
    "sentence": 0.7,
    "name": 3.0,
    "mention": 1.0,
    "reference": 1.0,
    "gap": 1.0,
    "antecedent": 2.0,
}
POSITIVE_ANTECEDENT = 3.0
"""How much more a token of an antecedent counts than one outside."""

Variables = dict[str, "tf.Variable"]


def initial(weights: Weights, seed: int) -> dict[str, np.ndarray]:
    """Return the arrays that training begins with: the file's encoder, and heads at random.

    Matrices are (in, out), those of query, key and value side by side in one.
    """
    shape, random = weights.shape, np.random.default_rng(seed)
    arrays = {
        "head.w": random.normal(0, HEAD_DEVIATION, (shape.hidden, COLUMNS)).astype(np.float32),
        "head.b": np.zeros(COLUMNS, np.float32),
        "segments": random.normal(0, SEGMENT_DEVIATION, (len(Segment), shape.hidden)).astype(np.float32),
    }
    for part in "wb":
        arrays[f"emb.ln.{part}"] = weights.vector(f"emb.ln.{part}").copy()
    for layer in range(shape.layers):
        name = f"l{layer}."
        for out, parts, rows, columns in (
            ("qkv", "qkv", shape.hidden, shape.hidden),
            ("ao", ("ao",), shape.hidden, shape.hidden),
            ("fi", ("fi",), shape.inner, shape.hidden),
            ("fo", ("fo",), shape.hidden, shape.inner),
        ):
            matrices = [dequantized(weights.blocks(f"{name}{part}.w", rows, columns)).T for part in parts]
            arrays[f"{name}{out}.w"] = np.concatenate(matrices, axis=1)
            arrays[f"{name}{out}.b"] = np.concatenate([weights.floats(f"{name}{part}.b", rows) for part in parts])
        for norm in ("aln", "oln"):
            for part in "wb":
                arrays[f"{name}{norm}.{part}"] = weights.vector(f"{name}{norm}.{part}").copy()
    return arrays


def variables(arrays: Mapping[str, np.ndarray]) -> Variables:
    """Return the arrays as variables."""
    return {name: tf.Variable(value, name=name.replace(".", "_")) for name, value in arrays.items()}


def logits(parts: Variables, embedded: tf.Tensor, segments: tf.Tensor, mask: tf.Tensor, shape: Shape) -> tf.Tensor:
    """Return (batch, tokens, COLUMNS) in float32.

    Args:
        parts: the variables.
        embedded: (batch, tokens, hidden), words and positions.
        segments: (batch, tokens) kinds of tokens.
        mask: (batch, tokens), 1 for tokens and 0 for padding.
        shape: of the encoder.
    """
    batch, length, hidden = embedded.shape
    heads, epsilon = shape.heads, shape.epsilon
    bias = tf.cast((1.0 - mask)[:, None, None, :] * FAR, BFLOAT16)
    state = tf.reshape(embedded + tf.gather(parts["segments"], segments), [-1, hidden])
    state = _normalized(state, parts, "emb.ln", epsilon)

    def split(flat: tf.Tensor) -> tf.Tensor:
        return tf.transpose(tf.reshape(flat, [batch, length, heads, hidden // heads]), [0, 2, 1, 3])

    for layer in range(_layers(parts)):
        name = f"l{layer}."
        query, key, value = (split(part) for part in tf.split(_linear(state, parts, f"{name}qkv"), 3, axis=-1))
        scale = tf.cast(1 / math.sqrt(hidden // heads), BFLOAT16)
        attention = tf.nn.softmax(tf.matmul(query * scale, key, transpose_b=True) + bias)
        context = tf.reshape(tf.transpose(tf.matmul(attention, value), [0, 2, 1, 3]), [-1, hidden])
        state = _normalized(state + _linear(context, parts, f"{name}ao"), parts, f"{name}aln", epsilon)
        inner = tf.nn.gelu(_linear(state, parts, f"{name}fi"), approximate=True)
        state = _normalized(state + _linear(inner, parts, f"{name}fo"), parts, f"{name}oln", epsilon)
    flat = tf.matmul(tf.cast(state, tf.float32), parts["head.w"]) + parts["head.b"]
    return tf.reshape(flat, [batch, length, COLUMNS])


def _layers(parts: Variables) -> int:
    return sum(name.endswith(".qkv.w") for name in parts)


def _linear(state: tf.Tensor, parts: Variables, name: str) -> tf.Tensor:
    product = tf.matmul(state, tf.cast(parts[f"{name}.w"], BFLOAT16))
    return tf.nn.bias_add(product, tf.cast(parts[f"{name}.b"], BFLOAT16))


def _normalized(state: tf.Tensor, parts: Variables, name: str, epsilon: float) -> tf.Tensor:
    exact = tf.cast(state, tf.float32)
    mean, variance = tf.nn.moments(exact, -1, keepdims=True)
    scaled = (exact - mean) * tf.math.rsqrt(variance + epsilon)
    return tf.cast(scaled * parts[f"{name}.w"] + parts[f"{name}.b"], BFLOAT16)


def losses(
    found: tf.Tensor, segments: tf.Tensor, tokens: Mapping[str, tf.Tensor], facts: Mapping[str, tf.Tensor]
) -> dict[str, tf.Tensor]:
    """Return the mean loss of each head over the labels of a batch; 0 where it has none.

    Args:
        found: logits.
        segments: (batch, tokens).
        tokens: labels (batch, tokens) of each of `TASKS`; -1 counts for nothing.
        facts: labels (batch,) of each of `FACTS`; -1 counts for nothing.
    """
    first = found[:, 0]
    return {
        "span": _span(found, segments, facts["start"], facts["end"]),
        "answer": _binary(first[:, Column.ANY_ANSWER], facts["answer"]),
        "reference": _binary(first[:, Column.ANY_REFERENCE], facts["reference"]),
        "gap": _binary(first[:, Column.ANY_GAP], facts["gap"]),
        "sentence": _binary(found[..., Column.SENTENCE], tokens["sentence"]),
        "name": _tags(found, Column.NAME, NAME_TAGS, tokens["name"]),
        "mention": _tags(found, Column.MENTION, SPAN_TAGS, tokens["mention"], POSITIVE_ANTECEDENT),
        "antecedent": _tags(found, Column.ANTECEDENT, SPAN_TAGS, tokens["antecedent"], POSITIVE_ANTECEDENT),
    }


def total(parts: Mapping[str, tf.Tensor]) -> tf.Tensor:
    """Return the weighted sum of the heads' losses."""
    return tf.add_n([LOSS_WEIGHTS[name] * loss for name, loss in parts.items()])


def _span(found: tf.Tensor, segments: tf.Tensor, start: tf.Tensor, end: tf.Tensor) -> tf.Tensor:
    """Cross entropy of start and end over the passage and the first token, which stands for "no answer"."""
    allowed = tf.cast(tf.equal(segments, int(Segment.PASSAGE)), tf.float32)
    allowed = tf.concat([tf.ones_like(allowed[:, :1]), allowed[:, 1:]], 1)
    barred = (1.0 - allowed) * FAR
    known = tf.cast(start >= 0, tf.float32)
    loss = tf.add_n(
        [
            tf.nn.sparse_softmax_cross_entropy_with_logits(tf.maximum(label, 0), found[..., column] + barred)
            for column, label in ((Column.START, start), (Column.END, end))
        ]
    )
    return _mean(loss / 2, known)


def _binary(found: tf.Tensor, label: tf.Tensor) -> tf.Tensor:
    known = tf.cast(label >= 0, tf.float32)
    wanted = tf.cast(tf.maximum(label, 0), tf.float32)
    return _mean(tf.nn.sigmoid_cross_entropy_with_logits(wanted, found), known)


def _tags(found: tf.Tensor, column: int, count: int, label: tf.Tensor, positive: float = 1.0) -> tf.Tensor:
    known = tf.where(label > 0, positive, tf.cast(tf.equal(label, 0), tf.float32))
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(tf.maximum(label, 0), found[..., column : column + count])
    return _mean(loss, known)


def _mean(loss: tf.Tensor, weight: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(loss * weight) / tf.maximum(tf.reduce_sum(weight), 1.0)
