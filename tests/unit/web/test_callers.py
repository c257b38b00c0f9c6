"""Whom a request claims to be, against whom authentication knows."""

from dataclasses import replace
from typing import Any

import pytest
from starlette.authentication import SimpleUser, UnauthenticatedUser

from tools.evidence import blank
from tools.networks.records import Account
from wenmai.application.caller import Caller, opens_all
from wenmai.application.limits import RateLimit
from wenmai.web.authentication import caller_from
from wenmai.web.langgraph.identity import identity_problems
from wenmai.web.langgraph.run_checks import has_counted_body, is_closed

ALICE = Caller(user_id="alice", permissions=frozenset({"sensitive_memory"}), account=Account("alice"))
WRONG = [
    {"user_id": "bob"},
    {"user_id": ""},
    {"account": "acme"},
    {"account_type": "system"},
    {"permissions": ["sensitive_memory", "root"]},
]
OWN: list[dict[str, Any]] = [
    {},
    {"user_id": None, "account": None, "permissions": []},
    {"user_id": "alice", "account": "alice", "account_type": "user", "permissions": ["sensitive_memory"]},
]


def bodies(context: dict[str, Any]) -> list[tuple[str, Any]]:
    return [
        ("context", {"context": context}),
        ("config.configurable", {"config": {"configurable": context}}),
        ("[1].context", [{"input": {}}, {"context": context}]),
        ("params.context", {"method": "tools/call", "params": {"context": context}}),
        ("params.config.configurable", {"method": "run.start", "params": {"config": {"configurable": context}}}),
    ]


@pytest.mark.parametrize("context", WRONG)
def test_a_context_of_somebody_else(context: dict[str, Any]) -> None:
    """PLA-01: wherever a request may hold it, the field is named and refused."""
    (name,) = context
    for path, body in bodies(context):
        (problem,) = identity_problems(body, ALICE)
        assert (problem.field, problem.status) == (f"{path}.{name}", 403)
        assert identity_problems(body, None) == []


@pytest.mark.parametrize("context", OWN)
def test_ones_own_context(context: dict[str, Any]) -> None:
    """PLA-01: one may say who one is."""
    assert all(identity_problems(body, ALICE) == [] for _, body in bodies(context))


def test_who_is_a_caller() -> None:
    """PLA-01: a user without a name is none."""
    assert caller_from(SimpleUser("alice")) == Caller(user_id="alice", account=Account("alice"))
    assert caller_from(UnauthenticatedUser()) is caller_from(SimpleUser("")) is caller_from(None) is None


async def test_requests_of_a_key_are_counted() -> None:
    """PLA-08: the second key has its own count; 0 is no limit."""
    limit = RateLimit("3/minute;5/hour")
    assert [await limit.wait("a") for _ in range(3)] == [0, 0, 0]
    assert 1 <= await limit.wait("a") <= 60
    assert await limit.wait("b") == 0
    assert {await RateLimit("0").wait("a") for _ in range(1000)} == {0}


def test_routes_that_are_closed_or_counted() -> None:
    """PLA-02: the runtime's own routes would show any thread to anybody."""
    assert all(map(is_closed, ("/internal/debug/thread/1", "/internal/truncate", "/deploy", "/deploy/1/stream")))
    assert not any(map(is_closed, ("/internally", "/threads/internal", "/deployments", "/")))
    assert has_counted_body("POST", "/store/items/search") and has_counted_body("PUT", "/store/items")
    assert not has_counted_body("POST", "/api/v1/documents") and not has_counted_body("GET", "/threads/1")


def test_a_turn_is_open_where_the_key_opens_what_it_quotes() -> None:
    """A network has a name of its own; one like that of a library opens nothing."""
    key = replace(ALICE, libraries=frozenset({"sample"}), networks=frozenset({"harbour"}))

    def quoting(tool: str, name: str) -> dict[str, Any]:
        return {"evidence": [blank("property", "1", "", library=name) | {"tool": tool}]}

    seen = [("graph_search", "sample"), ("knowledge_network_query", "harbour"), ("semantic_search", "")]
    assert all(opens_all(key, quoting(*one)) for one in seen) and opens_all(key, {})
    hidden = [("graph_search", "harbour"), ("knowledge_network_query", "sample")]
    assert not any(opens_all(key, quoting(*one)) for one in hidden)
