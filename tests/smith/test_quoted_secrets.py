"""Secrets that stand beside inputs and outputs: an error quotes an address, a tag or an event a key."""

from collections.abc import Iterator
from typing import Any

import langsmith
import pytest
from langchain_core.runnables import RunnableLambda

from tests.langsmith_service.server import LangSmithServer
from tests.smith.conftest import KEY
from wenmai.app.container import Services
from wenmai.observability.allowance import Allowance
from wenmai.observability.cleaning import passwords_in
from wenmai.observability.langsmith import client_of
from wenmai.settings.settings import Settings, load_settings

GRAPH_WORD = "graph-word-of-the-deployment"
VECTOR_KEY = "vector-key-of-the-deployment"
WORD = "p@ss-of-the-deployment"
WRITTEN = "p%40ss-of-the-deployment"
SECRETS = (GRAPH_WORD, VECTOR_KEY, WORD, WRITTEN, KEY)


@pytest.fixture
def settings(smith: LangSmithServer) -> Iterator[Settings]:
    """Settings with servers; what langsmith keeps for the process is put back."""
    yield load_settings(
        _env_file=None,
        langsmith_tracing=True,
        langsmith_endpoint=smith.url,
        langsmith_api_key=KEY,
        langsmith_project="tests",
        neo4j_uri="bolt://localhost:7687",
        neo4j_password=GRAPH_WORD,
        qdrant_url="http://localhost:6333",
        qdrant_api_key=VECTOR_KEY,
        postgres_uri=f"postgresql://wenmai:{WRITTEN}@localhost:5432/wenmai",
    )
    langsmith.configure(client=None, enabled=None, project_name=None)


async def test_an_error_that_quotes_a_key(smith: LangSmithServer, settings: Settings) -> None:
    """PLA-01: neither message nor traceback of a failure carries a secret of the settings out."""

    def fail(question: str) -> str:
        raise ConnectionError("no entry with " + " or ".join(SECRETS))

    services = Services(settings)
    with pytest.raises(ConnectionError):
        await RunnableLambda[str, str](fail).ainvoke("苏晚亭是谁？", {"tags": [VECTOR_KEY, "kept"]})
    await services.close()
    (run,) = smith.records.roots
    assert "ConnectionError" in run["error"] and "no entry with" in run["error"] and "kept" in run["tags"]
    for secret in SECRETS:
        assert secret not in smith.records.said


@pytest.mark.parametrize("member", ["events", "serialized"])
def test_members_beside_inputs_and_outputs(settings: Settings, member: str) -> None:
    """PLA-01: events and descriptions of components lose keys and identities, and nothing else."""
    row: dict[str, Any] = {"name": "retry", "kwargs": {"text": f"with {GRAPH_WORD}", "user_id": "alice"}}
    clean = {"name": "retry", "kwargs": {"text": "with [redacted]"}}
    client = client_of(settings)
    assert client.cleaned({member: [row]}, Allowance(client.clean, run_type="llm"))[member] == [clean]


@pytest.mark.parametrize(
    ("secret", "passwords"),
    [
        (f"postgresql://wenmai:{WRITTEN}@localhost/wenmai", [WRITTEN, WORD]),
        ("postgresql://localhost/wenmai", ["", ""]),
        ("plain-key-of-the-deployment", ["", ""]),
        ("http://[no-address", []),
    ],
)
def test_the_password_in_an_address(secret: str, passwords: list[str]) -> None:
    """PLA-01: drivers quote the password of an address alone, written or meant."""
    assert passwords_in(secret) == passwords
