"""What a question may send, down to its last byte: LOP-20."""

import json
from typing import Any
from uuid import UUID, uuid4

import pytest

from tests.langsmith_service.server import LangSmithServer
from tests.smith.conftest import KEY
from wenmai.observability import langsmith as traces
from wenmai.observability.allowance import EXTRA_BYTES, LEVELS, Allowance, ByteBudget, abridged, size_of
from wenmai.observability.langsmith import SafeClient

EVENT = {"name": "new_token", "time": "2025-01-01T00:00:00+00:00", "kwargs": {"token": "雾" * 400}}


def same(value: Any) -> Any:
    return value


def client_at(smith: LangSmithServer, *, hides_contents: bool = False) -> SafeClient:
    return SafeClient(clean=same, hides_contents=hides_contents, api_url=smith.url, api_key=KEY)


def begun(client: SafeClient, name: str, parent: UUID | None = None, **members: Any) -> UUID:
    """Begin a run, a step where it has a parent; return its id."""
    run = uuid4()
    extra = {"metadata": {"langgraph_node": name}} if parent else {}
    trace: dict[str, Any] = {"trace_id": parent or run, "dotted_order": f"20250101T000000000000Z{run}"}
    kind = members.pop("run_type", "chain")
    client.create_run(name, {"question": name}, kind, id=run, parent_run_id=parent, extra=extra, **trace, **members)
    return run


def ended(client: SafeClient, run: UUID, **members: Any) -> None:
    client.update_run(run, trace_id=run, dotted_order=f"20250101T000000000000Z{run}", **members)


@pytest.mark.parametrize("left", [0, 1, 3, 60, 400, 900])
@pytest.mark.parametrize("hides", [False, True])
def test_what_a_spent_budget_sends_keeps_its_form(smith: LangSmithServer, left: int, hides: bool) -> None:
    """LOP-20: the end of a model's run arrives, its events are objects or none, and the budget is never below 0."""
    client = client_at(smith, hides_contents=hides)
    question = begun(client, "question")
    model = begun(client, "model", question, run_type="llm")
    allowance = client.allowances[str(model)]
    assert allowance is not None
    allowance.budget.left = left
    ended(client, model, events=[EVENT] * 5, tags=["a" * 500] * 9, error="Boom: " + "x" * 900, outputs={"text": "雾"})
    client.flush()
    run = smith.records.runs[str(model)]
    assert run["end_time"] and isinstance(run.get("tags") or [], list)
    assert all(isinstance(one, dict) for one in run.get("events") or [])
    assert allowance.budget.left >= 0


@pytest.mark.parametrize(("value", "empty"), [(["a" * 50] * 50, []), ({"a" * 50: 1}, {}), ("a" * 50, "…")])
def test_what_does_not_fit_is_empty_of_its_own_type(value: Any, empty: Any) -> None:
    budget = ByteBudget(0)
    step = Allowance(same, budget, "llm", is_step=True)
    assert step.content(value, "extra") == empty and budget.left == 0


def test_names_are_cut_as_rows_are() -> None:
    """LOP-20: of an object with many names the first stay, with the number of the others."""
    short = abridged({f"name{n}": "x" * 40 for n in range(2000)}, EXTRA_BYTES, same)
    assert 0 < len(short) <= LEVELS[0][1] + 1 and size_of(short) <= EXTRA_BYTES
    assert short["name0"].startswith("x") and short["…"] == "… 1940 …"
    nested = abridged({"rows": {str(n): [n] for n in range(5000)}}, EXTRA_BYTES, same)
    assert nested["rows"]["0"] == [0] and json.dumps(nested)


def test_runs_that_never_end_are_forgotten(smith: LangSmithServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a cancelled run leaves behind does not add up; a run that is at work is not forgotten for it."""
    monkeypatch.setattr(traces, "OPEN_RUNS", 5)
    client = client_at(smith)
    busy = begun(client, "busy")
    for n in range(20):
        begun(client, f"lost{n}")
        ended(client, begun(client, "node", busy))
    assert len(client.allowances) <= 5 and str(busy) in client.allowances


def test_a_step_of_an_unknown_run_sends_nothing(smith: LangSmithServer) -> None:
    """LOP-20: a step that comes behind the end of its question has no allowance of its own."""
    client = client_at(smith)
    question = begun(client, "question")
    ended(client, question, outputs={"text": "done"})
    late = begun(client, "late", question)
    below = begun(client, "below", late)
    ended(client, below, outputs={"text": "x"}, parent_run_id=late, extra={"metadata": {"langgraph_node": "below"}})
    ended(client, late, outputs={"text": "x"})
    client.flush()
    assert set(smith.records.runs) == {str(question)}
