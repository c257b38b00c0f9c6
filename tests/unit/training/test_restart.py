"""Training goes on from the exported file."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import numpy_helper

from training.export import Precision, export
from training.restart import exported_arrays
from wenmai.embedders.e5.weights import Pieces, Shape, Weights, open_weights
from wenmai.reader import reader
from wenmai.reader.layout import COLUMNS, Segment

SHIPPED = Path(reader.__file__).with_name(reader.GRAPH)
TINY = Shape(hidden=8, layers=2, heads=2, inner=16, vocabulary=4, positions=4, epsilon=1e-5)


def trained_shapes(shape: Shape) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array that the trainer has."""
    hidden, inner = shape.hidden, shape.inner
    shapes: dict[str, tuple[int, ...]] = {
        "segments": (len(Segment), hidden),
        "head.w": (hidden, COLUMNS),
        "head.b": (COLUMNS,),
        "emb.ln.w": (hidden,),
        "emb.ln.b": (hidden,),
    }
    for name in (f"l{layer}." for layer in range(shape.layers)):
        for part, size in (("qkv", (hidden, 3 * hidden)), ("ao", (hidden, hidden)), ("fi", (hidden, inner))):
            shapes |= {f"{name}{part}.w": size, f"{name}{part}.b": size[1:]}
        shapes |= {f"{name}fo.w": (inner, hidden), f"{name}fo.b": (hidden,)}
        shapes |= {f"{name}{norm}.{part}": (hidden,) for norm in ("aln", "oln") for part in "wb"}
    return shapes


def test_the_shipped_reader_has_the_arrays_of_the_trainer() -> None:
    arrays = exported_arrays(SHIPPED)

    assert {name: value.shape for name, value in arrays.items()} == trained_shapes(open_weights().shape)
    assert {value.dtype for value in arrays.values()} == {np.dtype(np.float32)}
    assert all(np.isfinite(value).all() and value.any() for value in arrays.values())


def test_the_matrices_of_the_shipped_reader_are_its_numbers_times_the_scales_of_their_columns() -> None:
    stored = {one.name: numpy_helper.to_array(one) for one in onnx.load(SHIPPED).graph.initializer}
    arrays = exported_arrays(SHIPPED)
    matrices = [name for name, value in stored.items() if value.dtype == np.int8]

    assert len(matrices) == 4 * open_weights().shape.layers
    for name in matrices:
        numbers, scales = stored[name], stored[name.removesuffix(".w") + ".scale"]
        assert scales.shape == numbers.shape[1:]
        assert np.array_equal(arrays[name][:, 3], numbers[:, 3] * scales[3])


@pytest.mark.parametrize(("precision", "share"), [("float32", 0.0), ("int8", 1 / 63)])
def test_what_was_exported_comes_back(precision: Precision, share: float, tmp_path: Path) -> None:
    """To half a step of the largest number of a column: int8 keeps seven bits."""
    random = np.random.default_rng(7)
    trained = {name: random.normal(size=size).astype(np.float32) for name, size in trained_shapes(TINY).items()}
    np.savez(tmp_path / "state.npz", **{f"parts/{name}": value for name, value in trained.items()})  # type: ignore[arg-type]  # names are its keywords

    export(tmp_path / "state.npz", tmp_path / "reader.onnx", tiny_weights(), precision)
    found = exported_arrays(tmp_path / "reader.onnx")

    assert found.keys() == trained.keys()
    for name, value in trained.items():
        assert np.abs(found[name] - value).max() <= share * np.abs(value).max(), name


def tiny_weights() -> Weights:
    """Return weights of which only the shape is asked for."""
    none: NDArray[np.uint8] = np.zeros(0, np.uint8)
    pieces = Pieces(none.astype(np.uint32), none.astype(np.float32), b"", {}, 0, 0, 0)
    return Weights(none, TINY, pieces, {})
