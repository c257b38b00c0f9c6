"""The checks of the server's requests, without a server."""

from dataclasses import fields
from typing import Any

import pytest

from state.context import Context
from wenmai.inputs import nearest
from wenmai.web.langgraph.run_checks import context_problems

# What langgraph-sdk 0.4 and Studio send with runs, crons and assistants.
SENT = (
    "assistant_id input command context config checkpoint checkpoint_id checkpoint_during checkpoint_ns checkpoint_map "
    "metadata webhook multitask_strategy stream_mode stream_subgraphs stream_resumable on_completion on_disconnect "
    "durability feedback_keys after_seconds if_not_exists if_exists interrupt_before interrupt_after langsmith_tracer "
    "strict_resume schedule end_time timezone enabled on_run_completed name description graph_id payload values"
)
OF_A_CONFIG = "tags metadata callbacks run_name max_concurrency recursion_limit configurable run_id"


def test_what_clients_send_passes() -> None:
    """PLA-08: nothing that langgraph-sdk or Studio sends is taken for a misspelled field, nor what they may add."""
    body: dict[str, Any] = dict.fromkeys(SENT.split())
    body |= {"context": {}, "config": dict.fromkeys(OF_A_CONFIG.split()), "some_new_option": 1}
    assert context_problems(body) == []


@pytest.mark.parametrize("name", [field.name for field in fields(Context)])
def test_a_field_beside_the_context_is_named(name: str) -> None:
    """STO-19 PLA-08: as it is written, misspelled and in another notation, beside the context and inside config."""
    first, *rest = name.split("_")
    for wrong in (name, name + name[-1], first + "".join(word.title() for word in rest), name.upper()):
        bodies: tuple[tuple[dict[str, Any], str], ...] = (
            ({wrong: 3}, wrong),
            ({"config": {wrong: 3}}, f"config.{wrong}"),
        )
        for body, field in bodies:
            (problem,) = context_problems(body)
            assert (problem.field, problem.status) == (field, 422)
            assert problem.reason.endswith(f"context.{name}")


def test_the_spoiler_guard_among_the_metadata_is_named() -> None:
    """STO-19 PLA-08: there it would guard nothing; what else a caller keeps there is his own."""
    (problem,) = context_problems({"metadata": {"as_of_chapter": 3}})
    assert (problem.field, problem.status) == ("metadata.as_of_chapter", 422)
    assert problem.reason.endswith("context.as_of_chapter")
    assert context_problems({"metadata": {"library": "x", "mode": "test", "chapter": 3}}) == []


def test_the_nearest_name() -> None:
    """PLA-08: a name is only taken for another that it plainly is."""
    assert nearest("as_of_chaptr", ("as_of_chapter", "as_of_part")) == "as_of_chapter"
    assert nearest("foo", ("as_of_chapter", "as_of_part")) is None
