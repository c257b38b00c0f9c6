"""What a request of the server may hold: pure checks on parsed JSON, by the rules of `wenmai.inputs`.

Legal without a question, because LangGraph defines it so: a `command` on a thread, and `input: null` on a thread that
has an open step or names a checkpoint (the guard looks). Their context is checked all the same.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

from state.context import Context
from state.recall import RecallInput
from state.schema import AgentInput
from tools.wording import Words
from wenmai.inputs import (
    FIELDS,
    FieldError,
    context_from,
    history_from,
    nearest,
    query_from,
    question_from,
    session_context_from,
)

TWICE = Words("这个字段只能给一次", "this field can be given once")
NO_FIELD = Words("没有这个字段，可用的有 {known}", "there is no such field, but {known}")
NO_INPUT = Words("必须是对象 {form}", "must be an object {form}")
WRONG_OBJECT = Words("必须是一个对象，收到 {value!r}", "must be an object, got {value!r}")
IN_VAIN = Words("这里不会起作用：请写成 context.{name}", "it does nothing here: write context.{name}")
NULL = Words(
    "必须是一个对象，收到 null：没有要写的就略去 context",
    "must be an object, got null: leave context out where it has nothing",
)
MEANT = Words("没有这个字段：请写成 {meant}", "there is no such field: write {meant}")
INPUT_FIELDS = frozenset(AgentInput.__annotations__)
RECALL_FIELDS = frozenset(RecallInput.__annotations__)
# The server turns config.configurable into the context; these keys of it are LangGraph's own.
OWN_KEYS = frozenset(
    {"thread_id", "checkpoint_id", "checkpoint_ns", "checkpoint_map", "run_id", "graph_id", "assistant_id", "cron_id"}
)
# Where the context may stand, by the last part of the name.
HOLDERS = {"context": "context", "config": "config", "configurable": "config.configurable"}
# Metadata is the caller's own and may well hold a library or a language; these can only be meant for the context.
GUARDS = frozenset({"as_of_chapter", "as_of_part"})
DECISIVE = ("library", "toolkits", "mode", "remember", "kn_ids", "as_of_chapter")  # on the stores of a run
OWN_PREFIXES = ("__", "langgraph_", "x-")


def check_once(body: bytes) -> None:
    """Refuse JSON that names a field of an object twice: one of two guards would be dropped. Raises FieldError."""
    try:
        json.loads(body, object_pairs_hook=once)
    except FieldError:
        raise
    except (ValueError, RecursionError):  # no JSON: who reads it says so
        return


def once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON. Raises FieldError where a name comes twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise FieldError(twice[:80], TWICE)
    return found


def problems_of(*checks: Callable[[], object]) -> list[FieldError]:
    """Return what the checks found, at most one problem each."""
    found = []
    for check in checks:
        try:
            check()
        except FieldError as error:
            found.append(error)
    return found


def run_problems(body: Mapping[str, Any], most: int) -> list[FieldError]:
    """Return what is wrong with a run's question and context."""
    return problems_of(lambda: check_input(body, most)) + context_problems(body)


def recall_problems(body: Mapping[str, Any], most: int) -> list[FieldError]:
    """Return what is wrong with the query and the context of a run of memory_recall."""
    return problems_of(lambda: check_recall_input(body, most)) + context_problems(body)


def context_problems(body: Mapping[str, Any]) -> list[FieldError]:
    """Return what is wrong with the context of a run, a cron job or an assistant."""
    return problems_of(
        lambda: check_strays(body),
        lambda: check_null(body),
        lambda: check_object(body, "context", context_from),
        lambda: check_object(body, "config", check_config),
    )


def check_strays(body: Mapping[str, Any]) -> None:
    """Refuse what is plainly meant for the context but stands beside it: the server would drop it without a word.

    Other unknown names pass: langgraph-sdk and Studio send more of them with each version.
    """
    refuse_strays(body, "", ("context", "config"))
    metadata = body.get("metadata")
    if isinstance(metadata, Mapping):
        refuse_fields(metadata, "metadata.")
    config = body.get("config")
    if isinstance(config, Mapping):
        refuse_strays(config, "config.", ("configurable",))


def refuse_strays(values: Mapping[str, Any], path: str, own: Sequence[str]) -> None:
    """Refuse names that are, or nearly are, a field or a holder of the context; `own` belong here."""
    for name in values:
        meant = nearest(name, (*FIELDS, *HOLDERS))
        if meant is not None and (name != meant or meant not in own):
            raise FieldError(f"{path}{name}", MEANT.of(meant=HOLDERS.get(meant, f"context.{meant}")))


def check_null(body: Mapping[str, Any]) -> None:
    """Refuse a context of null, as the server itself would in words of its own."""
    if "context" in body and body["context"] is None:
        raise FieldError("context", NULL)


def refuse_fields(values: Mapping[str, Any], path: str) -> None:
    """Refuse a field of the context by its very name where a caller may keep what he likes."""
    for name in values:
        if name in GUARDS:
            raise FieldError(f"{path}{name}", IN_VAIN.of(name=name))


def check_object(body: Mapping[str, Any], name: str, check: Callable[[Mapping[str, Any]], object]) -> None:
    """Check a member that may be missing or null."""
    value = body.get(name)
    if value is None:
        return
    if not isinstance(value, Mapping):
        raise FieldError(name, WRONG_OBJECT.of(value=str(value)[:80]))
    check(value)


def check_config(config: Mapping[str, Any]) -> None:
    """Check what the server will make the context of."""
    configurable = config.get("configurable") or {}
    if not isinstance(configurable, Mapping):
        raise FieldError("config.configurable", WRONG_OBJECT.of(value=str(configurable)[:80]))
    own = {key for key in configurable if key in OWN_KEYS or key.startswith(OWN_PREFIXES)}
    try:
        context_from({key: value for key, value in configurable.items() if key not in own})
    except FieldError as error:
        raise FieldError(error.field.replace("context", "config.configurable", 1), error.reason) from error


def check_input(body: Mapping[str, Any], most: int) -> None:
    """Check the question and the session that a caller hands over."""
    given = input_of(body, INPUT_FIELDS, '{"messages": [{"role": "user", "content": "…"}]}')
    question_from(given.get("messages"), most)
    if given.get("session_context") is not None:
        session_context_from(given["session_context"])


def check_recall_input(body: Mapping[str, Any], most: int) -> None:
    """Check the query and the session's messages of a recall."""
    given = input_of(body, RECALL_FIELDS, '{"query": "…", "history": [{"role": "user", "content": "…"}]}')
    query_from(given.get("query"), most)
    if given.get("history") is not None:
        history_from(given["history"])


def input_of(body: Mapping[str, Any], fields: Set[str], form: str) -> Mapping[str, Any]:
    """Return the input of a run, an object of these fields that looks like `form`. Raises FieldError."""
    given = body.get("input")
    if not isinstance(given, Mapping):
        raise FieldError("input", NO_INPUT.of(form=form))
    for name in given:
        if name not in fields:
            raise FieldError(f"input.{name}", NO_FIELD.of(known=", ".join(sorted(fields))))
    return given


def run_of(body: Mapping[str, Any], assistant: Mapping[str, Any]) -> Context:
    """Return what decides on the stores of a run: its own words, else the assistant's, else the defaults of Context."""
    config = body.get("config") or {}
    given = {**(assistant.get("context") or {}), **(body.get("context") or config.get("configurable") or {})}
    known = {name: given[name] for name in DECISIVE if given.get(name) is not None}
    return context_from(known)
