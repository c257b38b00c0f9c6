"""Embeddings without a model: unit vectors made from a hash of the text, the same in every run."""

import hashlib
import math
import random

from tests.gemini.exchange import Request
from tests.gemini.models import Model
from tests.gemini.parts import Json, texts
from tests.gemini.refusals import invalid

BATCH = 100  # "at most 100 requests can be in one batch"


def vector(value: str, dimensions: int) -> list[float]:
    """Return the unit vector of a text."""
    source = random.Random(hashlib.sha256(value.encode()).digest())
    raw = [source.gauss(0, 1) for _ in range(dimensions)]
    length = math.sqrt(sum(one * one for one in raw))
    return [one / length for one in raw]


def answer(request: Request, model: Model) -> Json:
    """Answer embedContent and batchEmbedContents. Raises Refusal."""
    if request.method == "embedContent":
        return {"embedding": embedded(request.body, model, "EmbedContentRequest")}
    wanted = request.body.get("requests") or []
    if not wanted:
        raise invalid("* BatchEmbedContentsRequest.requests: requests is not specified\n")
    if len(wanted) > BATCH:
        raise invalid(f"* BatchEmbedContentsRequest.requests: at most {BATCH} requests can be in one batch\n")
    for number, one in enumerate(wanted):
        if one.get("model") != f"models/{model.id}":
            raise invalid(f"* BatchEmbedContentsRequest.requests[{number}].model: unexpected model name format\n")
    places = enumerate(wanted)
    return {"embeddings": [embedded(one, model, f"BatchEmbedContentsRequest.requests[{n}]") for n, one in places]}


def embedded(wanted: Json, model: Model, where: str) -> Json:
    """Embed one content."""
    said = texts(wanted.get("content"))
    if not said:
        raise invalid(f"* {where}.content: content is required and must not be empty\n")
    dimensions = wanted.get("outputDimensionality") or model.dimensions
    if not 1 <= dimensions <= model.dimensions:
        raise invalid(f"* {where}.output_dimensionality: must be in the range [1, {model.dimensions}]\n")
    return {"values": vector(said, dimensions)}
