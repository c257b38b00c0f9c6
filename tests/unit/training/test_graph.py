"""The embedder's graph: its empty form in the package, and what is made of it."""

from onnx import load_model_from_string

from training.graph import empty_layers, whole_layers
from wenmai.embedders.e5.graph import LAYERS, layers_graph
from wenmai.embedders.e5.weights import open_weights


def test_the_package_has_the_graph_that_the_program_writes() -> None:
    """`python -m training.graph` would change nothing."""
    assert LAYERS.read_bytes() == empty_layers(open_weights())


def test_it_is_filled_as_the_library_for_graphs_would_fill_it() -> None:
    """Node by node and number by number, without that library."""
    weights = open_weights()
    filled, whole = (load_model_from_string(make(weights)) for make in (layers_graph, whole_layers))
    assert filled == whole and len(whole.graph.initializer) > 100
