"""Begin training from an exported file where the saved state is lost."""

from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper


def exported_arrays(graph: Path) -> dict[str, NDArray[np.float32]]:
    """Return the arrays that training goes on with; int8 matrices are multiplied by the scales of their columns."""
    found = {tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load(graph).graph.initializer}
    arrays = {"segments": found.pop("segments.table").astype(np.float32)}
    for name, value in found.items():
        if value.dtype == np.int8:
            arrays[name] = value.astype(np.float32) * found[name.removesuffix(".w") + ".scale"]
        elif value.dtype == np.float32 and not name.endswith(".scale"):
            arrays[name] = value.copy()
    return arrays
