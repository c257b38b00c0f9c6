"""The authorization handlers: what LangGraph is told to filter by, and what it is told to store."""

from typing import Any

import pytest
from langgraph_sdk import Auth
from starlette.authentication import BaseUser

from wenmai.web.authentication import NOBODY
from wenmai.web.langgraph.auth import auth, label_of

RESOURCES = ("threads", "crons", "assistants")
MINE = {"owner": "alice"}


class User(BaseUser):
    """A user as the server hands him to the handlers."""

    permissions: Any = ()

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def is_authenticated(self) -> bool:
        return bool(self.name)

    @property
    def identity(self) -> str:
        return self.name


async def handled(resource: Any, action: Any, value: dict[str, Any], user: str = "alice") -> Any:
    """Call the handler that the server would call."""
    context = Auth.types.AuthContext(user=User(user), permissions=[], resource=resource, action=action)  # type: ignore[arg-type]  # as the server does
    handlers = auth._handlers.get((resource, action)) or auth._handlers.get((resource, "*")) or auth._global_handlers
    return await handlers[-1](ctx=context, value=value)


@pytest.mark.parametrize("resource", RESOURCES)
@pytest.mark.parametrize("action", ["create", "update"])
async def test_what_is_made_is_signed(resource: str, action: str) -> None:
    """PLA-02: with the user of the key, whatever the request says; LangGraph's own mark is dropped."""
    value: dict[str, Any] = {"metadata": {"owner": "bob", "topic": "x", "created_by": "system"}}
    assert await handled(resource, action, value) == MINE
    assert value["metadata"]["owner"] == "alice" and value["metadata"]["topic"] == "x"
    assert resource != "assistants" or "created_by" not in value["metadata"]


async def test_what_is_read_is_filtered() -> None:
    """PLA-02 PLA-03: the filter stands inside the store's query; a request's own filter is left alone."""
    for resource in ("threads", "crons"):
        for action in ("read", "search", "delete"):
            value: dict[str, Any] = {"metadata": {"owner": "bob"}}
            assert await handled(resource, action, value) == MINE and value == {"metadata": {"owner": "bob"}}
    assert await handled("threads", "create_run", {}) == MINE
    assert await handled("assistants", "delete", {}) == MINE
    for action in ("read", "search"):
        assert await handled("assistants", action, {}) == {"$or": [MINE, {"created_by": "system"}]}


@pytest.mark.parametrize("user", ["alice", "al", "*", "%", "a.b", "爱丽丝", "user-" + "0" * 64])
async def test_items_lie_below_their_user(user: str) -> None:
    """PLA-03: no name is a pattern or the beginning of another's; what a search returned can be asked for again."""
    for given in (None, (), ("notes",), (label_of("bob"), "notes"), ("*",)):
        value: dict[str, Any] = {"namespace": given}
        await handled("store", "search", value, user)
        assert value["namespace"] == (label_of(user), *(given or ()))
        again = {"namespace": value["namespace"]}
        await handled("store", "get", again, user)
        assert again["namespace"] == value["namespace"]
    assert label_of(user).removeprefix("user-").isalnum() and len(label_of(user)) == 69


async def test_without_keys_nothing_is_filtered() -> None:
    """PLA-01: on a machine of one's own LangGraph works as it does by itself."""
    for resource in RESOURCES:
        for action in ("create", "read", "search", "update", "delete"):
            value: dict[str, Any] = {"metadata": {"created_by": "system"}}
            assert await handled(resource, action, value, NOBODY["identity"]) is None
            assert value == {"metadata": {"created_by": "system"}}
    value = {"namespace": ("notes",)}
    await handled("store", "put", value, "")
    assert value == {"namespace": ("notes",)}


async def test_what_no_handler_knows_is_refused() -> None:
    """PLA-03: a resource that a later LangGraph may bring is closed until somebody thinks of it."""
    assert await handled("runs", "read", {}) is False
    assert await handled("runs", "read", {}, "") is True
