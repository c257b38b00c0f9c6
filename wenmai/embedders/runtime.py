"""ONNX Runtime as every embedder loads it: without its telemetry, one thread for a text."""

import os
from typing import Any

QUIET = 3  # errors only: the runtime warns of every operator that it moves
NO_TELEMETRY = "ORT_DISABLE_TELEMETRY"


def silence_telemetry() -> None:
    """Forbid ONNX Runtime to count what runs here and to send it; it reads this when it is imported."""
    os.environ[NO_TELEMETRY] = "1"


def onnx_runtime() -> Any:
    """Import ONNX Runtime. Raises ImportError."""
    silence_telemetry()
    import onnxruntime  # type: ignore[import-untyped]  # it ships no types

    return onnxruntime


def session_options(runtime: Any) -> Any:
    """Return the options of a session: texts run beside each other, each on one thread."""
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = QUIET
    return options
