"""A LangGraph server with keys that traces to LangSmith, seen from there."""

import time
from pathlib import Path
from typing import Any

import pytest

from benchmarks.server_house import VICTIM, client_of
from benchmarks.server_isolation import said
from tests.integration.live_server import running
from tests.langsmith_service.server import LangSmithServer
from tests.temporary import copied

pytestmark = pytest.mark.costly

LANGSMITH_KEY = "lsv2_pt_fedcba9876543210fedcba9876543210"
SECONDS = 120.0
WHO: dict[str, Any] = {"messages": [{"role": "user", "content": "苏晚亭是谁？"}]}


async def test_a_servers_traces_name_no_user(prepared: Path, tmp_path: Path) -> None:
    """PLA-01 S003-24: LangGraph would send user, key's id and context as metadata; what arrives is thread and grade."""
    folder = copied(prepared, tmp_path / "traced")
    token = said(folder, "keys", "add", "--user", VICTIM, "--account", "acme-account")
    smith = LangSmithServer().start()
    settings = {"LANGSMITH_TRACING": "true", "LANGSMITH_ENDPOINT": smith.url, "LANGSMITH_API_KEY": LANGSMITH_KEY}
    try:
        with running(folder, **settings) as live:
            async with client_of(live.url, token) as (_, sdk):
                thread = (await sdk.threads.create())["thread_id"]
                context: Any = {"library": "sample", "user_id": VICTIM}
                output: Any = await sdk.runs.wait(thread, "agent", input=WHO, context=context)
            root = arrived(smith)
    finally:
        smith.stop()
    metadata, grade = root["extra"]["metadata"], output["result"]["grade"]
    assert (metadata["thread_id"], metadata["library"], metadata["score"]) == (thread, "sample", grade["score"])
    assert smith.records.scores(str(root["id"])).items() >= grade["scores"].items()
    traced = [
        text for text in smith.records.texts if "/runs/" in text.split(" ", 2)[1]
    ]  # beside LangGraph's own requests
    assert any("守塔人" in text for text in traced)
    for secret in (VICTIM, "acme-account", token, token.split("_")[1], LANGSMITH_KEY):
        assert not [text for text in traced if secret in text]


def arrived(smith: LangSmithServer) -> dict[str, Any]:
    """Return the one question, once its feedback has come."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and not smith.records.feedback:
        time.sleep(0.2)
    (root,) = [run for run in smith.records.roots if run.get("outputs", {}).get("result")]
    return root
