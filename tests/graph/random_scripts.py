"""Random scripts of a whole deployment on Gemini: what each model says, how tools fail, how the run is set."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from hypothesis import strategies as st

from tests.gemini import fault
from tests.gemini.parts import Json, as_json, call, text, thought
from tests.gemini.replies import Reply, Step, always, as_reply, turn, usage
from tests.gemini.space import LOOPBACK_MODEL
from tests.graph.flaky import FAILURES, Failure
from tests.graph.talk import GRADER, REFINER, RESOLVER, grade, resolved

FIRST, FOLLOW_UP = "恰斯卡和卡齐娜是什么关系？", "她后来怎么样了？"
PEOPLE = ["恰斯卡", "卡齐娜", "Kachina", "战神", "无名氏", ""]
TOOLS = ["lookup_knowledge", "find_connection", "track_journey", "get_character_events", "search_memory"]
OTHER_TOOLS = ["vector_search", "graph_search", "track_entity", "fly", "搜索", "default_api.search_memory"]
FIELDS = [
    "query",
    "entity",
    "entity1",
    "entity2",
    "target",
    "characters",
    "top_k",
    "chapter_range",
    "sort_by",
    "reason",
]
ROLES = ("agent", "grader", "refiner", "resolver")
BROKEN = ["", "{", '{"scores": {"depth": 1', "null", "[]", '{"scores": "viel"}', '"少女"', "抱歉"]

values = st.one_of(
    st.sampled_from(PEOPLE),
    st.none(),
    st.booleans(),
    st.integers(-3, 90),
    st.sampled_from([3.0, 2.5, 1e9]),
    st.lists(st.sampled_from([1, 2.0, "x"]), max_size=3),
    st.text(max_size=4),
)
bad_calls = st.builds(
    call, st.sampled_from([*TOOLS, *OTHER_TOOLS]), st.dictionaries(st.sampled_from(FIELDS), values, max_size=4)
)
good_calls = st.sampled_from(
    [
        call("lookup_knowledge", {"entity": "恰斯卡"}),
        call("find_connection", {"entity1": "恰斯卡", "entity2": "卡齐娜"}),
        call("track_journey", {"entity": "卡齐娜"}),
        call("search_memory", {"query": "恰斯卡 卡齐娜"}),
        call("search_memory", {"query": "古名", "characters": "卡齐娜"}),
        call("vector_search", {"query": "古名", "top_k": 2.0}),
        call("track_entity", {"entity": "恰斯卡", "chapter_range": [1.0, 4.0]}),
    ]
)
stops = st.sampled_from([call("stop", {"reason": "sufficient"}), call("stop"), call("stop", {"reason": 3})])
calls = st.one_of(good_calls, good_calls, good_calls, bad_calls, stops)
before = st.lists(st.sampled_from([thought("想一想"), text("先查一下"), text(" ")]), max_size=2)
tokens = st.sampled_from([None, usage(900, 40, thoughts=10, cached=300), usage(5, 1)])
marks = st.sampled_from(["[E1]", "[E1][E2]", "[E77]", "", "[E", "[E0] [E1]。又说[E2]"])
drafts = st.builds(lambda number, mark: text(f"草稿{number}说两人一见如故{mark}。"), st.integers(0, 10**9), marks)
call_turns = st.builds(
    lambda first, made, counts: turn(*first, *made, tokens=counts),
    before,
    st.lists(calls, min_size=1, max_size=7),
    tokens,
)
draft_turns = st.builds(
    lambda first, draft, counts: turn(*first[:1], draft, tokens=counts),
    st.lists(st.just(thought("想好了")), max_size=1),
    drafts,
    tokens,
)
ERRORS = (
    fault.quota(0.05),
    fault.quota(None, per="Day"),
    fault.status(500),
    fault.status(503),
    fault.status(504),
    fault.gateway(),
    fault.closed(),
    fault.region(),
    fault.bad_key(),
    fault.unknown_model(LOOPBACK_MODEL),
    fault.status(400, "Request contains an invalid argument."),
)
EMPTIES = (
    fault.finish("SAFETY"),
    fault.finish("RECITATION"),
    fault.finish("MAX_TOKENS"),
    fault.malformed_call(),
    fault.blocked(),
    fault.empty(),
    fault.silent(),
)
errors = st.sampled_from(ERRORS)
empties = st.sampled_from(EMPTIES)
partial = st.one_of(
    st.builds(lambda draft: fault.finish("MAX_TOKENS", draft), drafts),
    st.builds(lambda draft, other: fault.two(draft, other), drafts, drafts),
    st.builds(fault.cut, drafts),
    st.builds(fault.cut, call_turns),
    st.builds(lambda draft: fault.slow(0.05, draft), drafts),
    st.builds(lambda made: fault.two(made, text("无关")), good_calls),
)
agent_steps = st.one_of(call_turns, call_turns, call_turns, draft_turns, draft_turns, errors, empties, partial)
points = st.integers(-5, 25) | st.sampled_from([12.0, 15.0])
scores = st.fixed_dictionaries(dict.fromkeys(("tool_usage", "evidence", "completeness", "citation", "depth"), points))
broken = st.sampled_from(BROKEN).map(lambda said: turn(text(said)) if said else fault.silent())
grades = st.one_of(st.builds(grade, scores), st.builds(grade, scores), st.just(grade()), broken, errors, empties)
queries = st.lists(st.text(max_size=4) | st.sampled_from(PEOPLE), max_size=4)
refinements = st.one_of(st.builds(as_json, queries), broken, errors, empties)
resolutions = st.one_of(
    st.builds(lambda name: resolved(f"{name}后来怎么样了？", ("她", name)), st.sampled_from(PEOPLE)),
    st.just(resolved("", refers_back=False)),
    broken,
    errors,
    empties,
)
LAST = {
    "endless calls": always(lambda request: call("search_memory", {"query": f"卡齐娜 {request.number}"})),
    "a draft": always(lambda request: text(f"草稿末{request.number}说两人一见如故[E1]。")),
    "nothing": always(fault.silent()),
    "an outage": always(fault.status(503)),
}
tool_failures = st.sampled_from([None, None, None, *FAILURES])


@dataclass(frozen=True, repr=False)
class Script:
    """What the models say one after another, and how the run is set."""

    agent: list[Step]
    grader: list[Step]
    refiner: list[Step]
    resolver: list[Step]
    last: str
    tools: list[Failure]
    hangs: bool
    on_failure: str
    breaker: int
    piece: int
    context: dict[str, Any]
    questions: tuple[str, ...]

    def __repr__(self) -> str:
        """Return what is needed to play it again by hand, in short."""
        roles = {name: [brief(step) for step in getattr(self, name)] for name in ROLES}
        others = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in ROLES}
        return f"Script({roles | others})"

    @property
    def queues(self) -> dict[str, list[Any]]:
        """The steps by model, with what goes on behind them."""
        hang: list[Step] = [fault.hang()] if self.hangs else []
        return {
            LOOPBACK_MODEL: [*self.agent[:2], *hang, *self.agent[2:], LAST[self.last]],
            GRADER: [*self.grader, always(grade())],
            REFINER: [*self.refiner, always(as_json(["恰斯卡 相遇", "卡齐娜 比赛"]))],
            RESOLVER: [*self.resolver, always(resolved("卡齐娜后来怎么样了？", ("她", "卡齐娜")))],
        }


def brief(step: Any) -> str:
    """Return a step as a reader needs it."""
    reply = as_reply(step)
    shown = [one.get("content", {}).get("parts", one.get("finishReason")) for one in reply.body.get("candidates", [])]
    finish = [one.get("finishReason") for one in reply.body.get("candidates", [])]
    return f"{reply.status} {reply.ending} {finish} {shown}"


contexts = st.fixed_dictionaries(
    {},
    optional={
        "mode": st.sampled_from(["agent", "agent", "rag"]),
        "toolkits": st.sampled_from([["story"], ["narrative", "story"]]),
        "max_tokens": st.sampled_from([1, 900, 5_000]),
        "max_turns": st.integers(1, 3),
        "stream_drafts": st.booleans(),
        "opening_search": st.booleans(),
    },
)
scripts = st.builds(
    Script,
    agent=st.lists(agent_steps, max_size=10),
    grader=st.lists(grades, max_size=4),
    refiner=st.lists(refinements, max_size=2),
    resolver=st.lists(resolutions, max_size=2),
    last=st.sampled_from(sorted(LAST)),
    tools=st.lists(tool_failures, max_size=6),
    hangs=st.sampled_from([False] * 19 + [True]),
    on_failure=st.sampled_from(["offline", "message"]),
    breaker=st.sampled_from([100, 100, 100, 3]),
    piece=st.sampled_from([3, 40]),
    context=contexts,
    questions=st.sampled_from([(FIRST,), (FIRST,), (FIRST, FOLLOW_UP)]),
)


@dataclass
class Delivered:
    """Keeps what reached the client whole: `gemini.recorder = Delivered()`."""

    replies: list[tuple[Any, Reply]] = field(default_factory=list)

    def __call__(self, request: Any, reply: Reply) -> None:
        """Keep one exchange."""
        if reply.status == 200 and reply.ending == "whole" and request.model == LOOPBACK_MODEL:
            self.replies.append((request, reply))

    def since(self, number: int) -> Sequence[tuple[Any, list[Json]]]:
        """Return the requests behind a number, each with the parts of its first candidate."""
        return [
            (request, reply.body["candidates"][0].get("content", {}).get("parts", []))
            for request, reply in self.replies
            if request.number > number and reply.body.get("candidates")
        ]


def said(parts: Sequence[Json]) -> str:
    """Return the visible text of a turn."""
    return "".join(part.get("text", "") for part in parts if not part.get("thought"))


def called(parts: Sequence[Json]) -> list[tuple[str, Any]]:
    """Return the calls of a turn."""
    return [(one["name"], one["args"]) for part in parts if (one := part.get("functionCall"))]
