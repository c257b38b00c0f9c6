"""Keys, models, places, quotas and bodies that the service refuses, one by one, by plain HTTP."""

import re
from typing import Any

import httpx
import pytest

from tests.gemini import fault
from tests.gemini.ask import asking, post, refused
from tests.gemini.parts import Json, text
from tests.gemini.replies import always
from tests.gemini.space import LOOPBACK_EMBEDDER, LOOPBACK_MODEL, Gemini


@pytest.fixture(autouse=True)
def script(gemini: Gemini) -> None:
    """What is not refused is answered, so that a missing rule shows."""
    gemini.play(always(text("好")))


@pytest.mark.parametrize("raw", ["{", "[1]", '"x"'])
def test_bodies_that_are_no_object(gemini: Gemini, raw: str) -> None:
    """A body that is no JSON object is refused."""
    address = f"{gemini.url}/v1beta/models/{LOOPBACK_MODEL}:generateContent"
    response = httpx.post(address, content=raw, headers={"x-goog-api-key": gemini.key}, timeout=120)
    assert "Invalid JSON payload received." in refused(response)["message"]


@pytest.mark.parametrize(
    ("model", "method"),
    [("gemini-99-nobody", "generateContent"), (LOOPBACK_MODEL, "embedContent"), (LOOPBACK_EMBEDDER, "generateContent")],
)
def test_unknown_model(gemini: Gemini, model: str, method: str) -> None:
    """An unknown model, or a method that it does not have, is not found."""
    message = f"models/{model} is not found for API version v1beta, or is not supported for {method}."
    assert message in refused(post(gemini, asking(), method, model), 404, "NOT_FOUND")["message"]


def test_keys(gemini: Gemini) -> None:
    """A wrong key is a 400 with its reason, no key a 403; neither enters the history."""
    address = f"{gemini.url}/v1beta/models/{LOOPBACK_MODEL}:generateContent"
    wrong = httpx.post(address, json=asking(), headers={"x-goog-api-key": "nobody's"}, timeout=120)
    error = refused(wrong)
    assert "API key not valid. Please pass a valid API key." in error["message"]
    assert error["details"][0]["reason"] == "API_KEY_INVALID"
    assert (
        "unregistered callers"
        in refused(httpx.post(address, json=asking(), timeout=120), 403, "PERMISSION_DENIED")["message"]
    )
    assert httpx.post(f"{address}?key={gemini.key}", json=asking(), timeout=120).status_code == 200
    assert len(gemini.history) == 1


def test_region(gemini: Gemini) -> None:
    """An outage answers everything, here that the place is not served."""
    gemini.outage = fault.region()
    message = "User location is not supported for the API use."
    assert message in refused(post(gemini, asking()), 400, "FAILED_PRECONDITION")["message"]
    gemini.outage = None
    assert post(gemini, asking()).status_code == 200


def test_quota(gemini: Gemini) -> None:
    """A spent quota carries its violation and when to come back."""
    gemini.play(fault.quota(7, model=LOOPBACK_MODEL), when=lambda _: True)
    error = refused(post(gemini, asking()), 429, "RESOURCE_EXHAUSTED")
    assert "You exceeded your current quota" in error["message"]
    details = {re.sub(r".*\.", "", one["@type"]): one for one in error["details"]}
    assert details["RetryInfo"]["retryDelay"] == "7s"
    assert details["QuotaFailure"]["violations"][0]["quotaDimensions"]["model"] == LOOPBACK_MODEL


EMBEDDINGS: dict[str, tuple[Any, str]] = {
    "nothing": ({"requests": []}, "requests is not specified"),
    "too many": (
        {"requests": [{"model": f"models/{LOOPBACK_EMBEDDER}", "content": {"parts": [text("a")]}}] * 101},
        "at most 100 requests can be in one batch",
    ),
    "another model": (
        {"requests": [{"model": LOOPBACK_EMBEDDER, "content": {"parts": [text("a")]}}]},
        "unexpected model name format",
    ),
    "an empty text": (
        {"requests": [{"model": f"models/{LOOPBACK_EMBEDDER}", "content": {"parts": [text("")]}}]},
        "content is required",
    ),
    "dimensions": (
        {
            "requests": [
                {
                    "model": f"models/{LOOPBACK_EMBEDDER}",
                    "content": {"parts": [text("a")]},
                    "outputDimensionality": 9999,
                }
            ]
        },
        "output_dimensionality",
    ),
}


@pytest.mark.parametrize(("body", "message"), EMBEDDINGS.values(), ids=EMBEDDINGS)
def test_embedding_requests(gemini: Gemini, body: Json, message: str) -> None:
    """Wrong batches are refused."""
    assert message in refused(post(gemini, body, "batchEmbedContents", LOOPBACK_EMBEDDER))["message"]
