"""The identity of a run on a server."""

from typing import Any

from langgraph.runtime import Runtime, ServerInfo

from nodes.scope import context_of, folders_of
from state.context import Context


class User(dict[str, Any]):
    """A user of the server: a mapping with properties."""

    is_authenticated = True

    @property
    def identity(self) -> str:
        return str(self["identity"])


def run_by(user: User | None, **context: Any) -> Context:
    info: Any = ServerInfo(assistant_id="a", graph_id="agent", user=user)  # type: ignore[arg-type]  # as the server does
    return context_of(Runtime(context=Context(**context), server_info=info))


def test_the_key_decides_who_asks() -> None:
    """PLA-01: user, permissions and account are those of authentication, whatever the context says."""
    alice = User(identity="alice", permissions=["sensitive_memory"], account="acme", account_type="app")
    claimed = run_by(alice, user_id="bob", permissions=["root"], account="other", account_type="system")
    assert (claimed.user_id, claimed.permissions) == ("alice", ["sensitive_memory"])
    assert (claimed.account, claimed.account_type) == ("acme", "app")
    assert run_by(alice, library="river", as_of_chapter=3).as_of_chapter == 3


def test_a_run_of_a_schedule_knows_no_more_than_its_user() -> None:
    """PLA-01: what the server no longer knows is not taken from the context."""
    stored = run_by(User(identity="alice"), permissions=["sensitive_memory"], account="other")
    assert (stored.user_id, stored.permissions, stored.account, stored.account_type) == ("alice", [], None, "user")


def test_nobody_was_asked() -> None:
    """PLA-15: in Python, and on a machine of one's own without keys, the caller is believed."""
    nameless = User(identity="", permissions=[])
    nameless.is_authenticated = False
    for context in (run_by(None, user_id="bob"), run_by(nameless, user_id="bob")):
        assert context.user_id == "bob"
    assert context_of(Runtime(context=Context(user_id="bob"))).user_id == "bob"


def test_folders_of_a_question_are_named_as_they_are_kept() -> None:
    """DOC-41: composed, with one blank between words."""
    assert folders_of(Context(folders=["re\u0301sume\u0301s  2026 ", ""])) == ("résumés 2026", "")
