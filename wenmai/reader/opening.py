"""Open the reader that the package ships."""

import logging
from importlib.resources import files
from pathlib import Path
from threading import Lock

from wenmai.embedders.e5.cache import converted
from wenmai.embedders.e5.tokenizer import Tokenizer
from wenmai.embedders.e5.weights import open_weights
from wenmai.errors import ConfigError
from wenmai.reader.inputs import Inputs
from wenmai.reader.model import ReaderModel
from wenmai.reader.reader import Reader

GRAPH = "reader.onnx"

log = logging.getLogger("wenmai.reader")


def open_reader(cache: Path | None, graph: Path | None = None) -> Reader:
    """Load the reader.

    Args:
        cache: where models are kept; None for the user's cache directory.
        graph: another file than the one that the package ships.

    Raises:
        ConfigError: ONNX Runtime, the file or the word vectors are missing, or do not run here.
    """
    path = graph or Path(str(files("wenmai.reader").joinpath(GRAPH)))
    if not path.is_file():
        raise ConfigError(f"找不到阅读模型 {path}，请重新安装 wenmai")
    weights = open_weights()
    try:
        model = ReaderModel.open(weights, path)
    except Exception as error:  # ONNX Runtime's exceptions have no common class
        if not isinstance(error, ImportError) and not type(error).__module__.startswith("onnxruntime"):
            raise
        reason = " ".join(str(error).split())[:200]
        raise ConfigError(f"阅读模型无法运行（{reason}），请重新安装 onnxruntime") from error
    pieces = weights.pieces
    tokenizer = Tokenizer(pieces, converted(weights, cache).pieces)
    return Reader(model, Inputs(tokenizer, pieces.begin, pieces.end))


class LazyReader:
    """Loads the reader at its first use; where it cannot be loaded, one line is logged, and there is none."""

    def __init__(self, cache: Path | None) -> None:
        self._cache = cache
        self._lock = Lock()
        self._opened = False
        self._reader: Reader | None = None

    def __call__(self) -> Reader | None:
        """Return the reader, None where it does not run."""
        with self._lock:
            if not self._opened:
                self._opened = True
                try:
                    self._reader = open_reader(self._cache)
                except ConfigError as error:
                    log.warning("%s；本次按字面与语义的重合作答", error)
            return self._reader
