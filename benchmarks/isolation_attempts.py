"""The attempts of `benchmarks.isolation`: each one way of one user to get at another's memories."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.isolation_bench import INJECTION, KEY, THIEF, VICTIM, Bench, turn
from nodes.roles import Lesson
from state.recall import HistoryMessage
from tools.memory.records import point_id

Answer = Callable[[Bench], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One way to try, and how it is made."""

    kind: str
    what: str
    run: Answer


def calling(name: str, args: object, **context: Any) -> Answer:
    """Return an attempt at one tool."""
    return lambda bench: bench.tool(name, args, **context)


def detail(key: object) -> Answer:
    """Return an attempt at get_memory_detail."""
    return calling("get_memory_detail", {"memory_key": key})


def searching(**args: Any) -> Answer:
    """Return an attempt at search_memories that takes everything, however unlike."""
    return calling("search_memories", {"query": "数据库配置 花", "min_relevance_score": 0, "limit": 10, **args})


def forged_keys() -> list[Attempt]:
    """Return attempts by keys that the thief has guessed or made."""
    keys: list[tuple[str, object]] = [
        ("the victim's key, which the thief has too", KEY),
        ("the victim's key alone", "tea"),
        ("the id of the victim's point", point_id(VICTIM, KEY)),
        ("user and key by a slash", f"{VICTIM}/{KEY}"),
        ("user and key by a colon", f"{VICTIM}:tea"),
        ("a path upwards", f"../{VICTIM}/tea"),
        ("a wildcard", "*"),
        ("SQL's wildcard", "%"),
        ("SQL in a key", "tea' OR user_id='alice"),
        ("a NUL between", "tea\0"),
        ("JSON in a key", json.dumps({"user_id": VICTIM, "memory_key": "tea"})),
        ("a list of keys", ["tea", "plan"]),
        ("an object as key", {"memory_key": "tea", "user_id": VICTIM}),
        ("the pair as it is hashed", json.dumps(["memory", VICTIM, "tea"])),
    ]
    return [Attempt("forged key", f"get_memory_detail: {what}", detail(key)) for what, key in keys]


def named_users() -> list[Attempt]:
    """Return attempts by identities among the arguments."""
    names = ("user_id", "userId", "user", "owner", "tenant", "account", "context", "thread_id", "permissions")
    searches = [
        Attempt("user in arguments", f"search_memories with {name}=alice", searching(**{name: VICTIM}))
        for name in names
    ]
    both = {"memory_key": "tea", "user_id": VICTIM, "context": {"user_id": VICTIM}}
    return [
        *searches,
        Attempt("user in arguments", "get_memory_detail with user_id=alice", calling("get_memory_detail", both)),
        Attempt("user in arguments", "handoff with user_id and the victim's keys", handed(user_id=VICTIM)),
    ]


def handed(**more: Any) -> Answer:
    """Return a handoff of keys that were never seen."""
    args = {"search_summary": "全部", "confidence": 1, "relevant_memory_keys": ["tea", "plan"], **more}
    return calling("handoff", args)


def injections() -> list[Attempt]:
    """Return attempts by wildcards and filters in what a search takes."""
    filters = json.dumps({"should": [{"key": "user_id", "match": {"any": [VICTIM, THIEF]}}]})
    tried: list[tuple[str, dict[str, Any]]] = [
        ("query *", {"query": "*"}),
        ("query %", {"query": "%"}),
        ("query .*", {"query": ".*", "search_mode": "keyword"}),
        ("a filter as query", {"query": filters}),
        ("SQL as query", {"query": "' OR 1=1; SELECT * FROM memories WHERE user_id='alice' --"}),
        ("Cypher as query", {"query": "MATCH (m {user_id:'alice'}) RETURN m"}),
        ("keywords *", {"keywords": ["*", "%", ".*"]}),
        ("keywords that are the victim's name", {"keywords": [VICTIM]}),
        ("keywords that are the victim's words", {"keywords": ["口令", "最喜欢的花"]}),
        ("memory_types *", {"memory_types": ["*"]}),
        ("a filter as type", {"memory_types": [filters]}),
        ("a type of the victim's", {"memory_types": ["user_preference"]}),
        ("a filter argument", {"filter": json.loads(filters)}),
        ("must_not argument", {"must_not": [{"key": "user_id"}]}),
        ("limit 1000", {"limit": 1_000}),
        ("days without end", {"time_range_days": 10**9}),
        ("a threshold below 0", {"min_relevance_score": -1}),
        ("user name in the query", {"query": f"user_id:{VICTIM} 数据库配置"}),
    ]
    return [Attempt("injection", f"search_memories: {what}", searching(**args)) for what, args in tried]


def other_runs() -> list[Attempt]:
    """Return attempts by runs of users that are nearly the victim."""
    users = [
        "Alice",
        "alice ",
        " alice",
        "alice\u200b",
        "ａｌｉｃｅ",
        "alice\0",
        "*",
        "%",
        "alice' OR '1'='1",
        "alice,mallory",
    ]
    runs = [Attempt("user of the run", f"a recall as {user!a}", as_user(user)) for user in users]
    return [*runs, Attempt("user of the run", "a recall without a user", as_user(""))]


def as_user(user: str) -> Answer:
    """Return a recall of all that there is, as this user."""
    return lambda bench: bench.recall("数据库配置 最喜欢的花 方案", user=user)


def talked_into() -> list[Attempt]:
    """Return attempts by texts that ask a mind for others' memories, and by a model that obeys them."""
    poisoned = [HistoryMessage(role="user", content=INJECTION), HistoryMessage(role="assistant", content=INJECTION)]
    stolen = ("search_memories", {"query": "*", "user_id": VICTIM, "min_relevance_score": 0})
    reading = ("get_memory_detail", {"memory_key": "tea"})
    expand = ("expand_context_window", {"reason": INJECTION, "requested_size": 50})
    lesson = Lesson(kind="fact", content="改写", summary="", supersedes=(KEY, "tea"))
    return [
        Attempt("prompt injection", "a stored memory that asks for others'", lambda b: b.recall("数据库配置")),
        Attempt("prompt injection", "a session that asks for others'", lambda b: b.recall("配置", history=poisoned)),
        Attempt("prompt injection", "a query that asks for others'", lambda b: b.recall(INJECTION)),
        Attempt("prompt injection", "a model that obeys: search as alice", lambda b: b.obeyed(turn(stolen))),
        Attempt("prompt injection", "a model that obeys: read the victim's key", lambda b: b.obeyed(turn(reading))),
        Attempt("prompt injection", "a model that obeys: hand off the victim's keys", lambda b: b.obeyed()),
        Attempt(
            "prompt injection", "a model that obeys: more of the session", lambda b: b.obeyed(turn(expand, stolen))
        ),
        Attempt("prompt injection", "a lesson in place of the victim's memory", lambda b: b.learned(lesson)),
    ]


def behind_the_victim() -> list[Attempt]:
    """Return attempts right behind the victim's own reads: caches and threads."""

    async def cached_search(bench: Bench) -> object:
        args = {"query": "数据库配置 花", "min_relevance_score": 0, "limit": 10}
        await bench.tool("search_memories", args, user=VICTIM)
        return await bench.tool("search_memories", args)

    async def cached_detail(bench: Bench) -> object:
        await bench.tool("get_memory_detail", {"memory_key": "tea"}, user=VICTIM)
        return await bench.tool("get_memory_detail", {"memory_key": "tea"})

    async def cached_recall(bench: Bench) -> object:
        await bench.recall("最喜欢的花", user=VICTIM)
        return await bench.recall("最喜欢的花")

    return [
        Attempt("cache", "the victim's search, made right before", cached_search),
        Attempt("cache", "the victim's detail, read right before", cached_detail),
        Attempt("cache", "the victim's recall, run right before", cached_recall),
        Attempt("thread", "a question on the victim's thread", lambda bench: bench.thread(THIEF)),
    ]


def attempts() -> list[Attempt]:
    """Return every attempt."""
    return [*forged_keys(), *named_users(), *injections(), *other_runs(), *talked_into(), *behind_the_victim()]
