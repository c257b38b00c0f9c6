"""Open the reader that the package ships."""

from importlib.resources import files
from pathlib import Path

from tools.errors import ConfigError
from tools.wording import Words
from wenmai.embedders.e5.cache import converted
from wenmai.embedders.e5.tokenizer import Tokenizer
from wenmai.embedders.e5.weights import Weights, open_weights
from wenmai.embedders.runtime import RuntimeUnavailableError
from wenmai.reader.inputs import Inputs
from wenmai.reader.reader import Reader, ReaderModel

NOT_RUNNING = Words(
    "阅读模型无法运行（{reason}），请重新安装 onnxruntime",
    "the reader does not run ({reason}): install onnxruntime again",
)
NO_READER = Words("找不到阅读模型 {path}，请重新安装 wenmai", "the reader {path} is missing: install wenmai again")
GRAPH = "reader.onnx"


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
        raise ConfigError(NO_READER.of(path=path))
    weights = open_weights()
    try:
        model = ReaderModel.open(weights, path)
    except RuntimeUnavailableError as error:
        raise ConfigError(NOT_RUNNING.of(reason=error)) from error
    return Reader(model, open_inputs(weights, cache), path)


def open_inputs(weights: Weights, cache: Path | None) -> Inputs:
    """Return what makes inputs of texts, with the tokenizer of the encoder. Raises ConfigError."""
    pieces = weights.pieces
    return Inputs(Tokenizer(pieces, converted(weights, cache).pieces), pieces.begin, pieces.end)
