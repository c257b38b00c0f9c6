"""ONNX Runtime as every model loads it: without its telemetry, one thread for a text."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # It ships no types, and pyright does not see through its conditional imports.
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]  # pyright: ignore[reportAttributeAccessIssue]

QUIET = 3  # errors only: the runtime warns of every operator that it moves
NO_TELEMETRY = "ORT_DISABLE_TELEMETRY"


class RuntimeUnavailableError(Exception):
    """ONNX Runtime is missing here, or does not run the graph; the reason is the message."""


def silence_telemetry() -> None:
    """Forbid ONNX Runtime to count what runs here and to send it; it reads this when it is imported."""
    os.environ[NO_TELEMETRY] = "1"


def onnx_runtime() -> Any:
    """Import ONNX Runtime. Raises ImportError."""
    silence_telemetry()
    import onnxruntime

    return onnxruntime


def session_options(runtime: Any) -> Any:
    """Return the options of a session: texts run beside each other, each on one thread."""
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = QUIET
    return options


def open_session(graph: bytes | Path) -> "InferenceSession":
    """Load a graph, or the file of one. Raises RuntimeUnavailableError."""
    require_runtime()
    runtime = onnx_runtime()
    options = session_options(runtime)
    options.enable_cpu_mem_arena = False  # 12 MB less, at the same speed
    try:
        return runtime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its exceptions have no common class
        if not type(error).__module__.startswith("onnxruntime"):
            raise
        raise RuntimeUnavailableError(reason_of(error)) from error


def require_runtime() -> None:
    """Import ONNX Runtime. Raises RuntimeUnavailableError."""
    try:
        onnx_runtime()
    except ImportError as error:
        raise RuntimeUnavailableError(reason_of(error)) from error


def reason_of(error: BaseException) -> str:
    """Return the message of an error on one line."""
    return " ".join(str(error).split())[:200]
