"""The faults of `faults.py`: what the models answer, row by row."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.gemini import fault
from tests.gemini.parts import as_json, call, text, thought
from tests.gemini.replies import Always, Reply, Step, always, turn
from tests.gemini.space import LOOPBACK_EMBEDDER, LOOPBACK_MODEL

GRADER = "gemini-99-grader"
REFINER = "gemini-99-refiner"
RESOLVER = "gemini-99-resolver"
QUESTION = "铜灯的灯座底下刻着什么字？"
FOLLOW_UP = "它后来挂在哪里？"
SESSION = {"entities": ["铜灯"], "topic": "铜灯"}
LOOK = call("search_memory", {"query": "铜灯 灯座 刻着"})
DRAFT = text("灯座底下刻着四个字：风停即返[E1]。")
SCORES = {"tool_usage": 18, "evidence": 16, "completeness": 14, "citation": 15, "depth": 15}
CLAIMS = [{"text": "论断", "marks": [1], "supported": "yes"}]
VERDICT = {"question_type": "fact", "claims": CLAIMS, "missing": ["补充经过"]}
GRADE = as_json({**VERDICT, "scores": SCORES, "score": 78})
FAILED = as_json({**VERDICT, "scores": {**SCORES, "depth": 5}, "score": 68})
QUERIES = as_json(["铜灯 灯座", "风停即返"])
RESOLVED = {"refers_back": True, "question": "铜灯后来挂在哪里？", "topic": "铜灯"}
RESOLUTION = as_json({**RESOLVED, "mentions": [{"mention": "它", "entity": "铜灯"}]})


@dataclass(frozen=True, kw_only=True)
class Row:
    """A fault and where it strikes; behind its steps each model answers as it should.

    With steps for the embedder the library has vectors of the service, else those of the built-in model.
    """

    name: str
    agent: Sequence[Step | Always] = (LOOK, DRAFT)
    grader: Sequence[Step | Always] = (GRADE,)
    refiner: Sequence[Step | Always] = (QUERIES,)
    resolver: Sequence[Step | Always] = (RESOLUTION,)
    embedder: Sequence[Step | Always] = ()
    question: str = QUESTION
    session: dict[str, Any] | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    context: dict[str, Any] = field(default_factory=dict)

    @property
    def queues(self) -> dict[str, Sequence[Step | Always]]:
        """The steps by model, with what it answers behind them."""
        return {
            LOOPBACK_MODEL: [*self.agent, always(DRAFT)],
            GRADER: [*self.grader, always(GRADE)],
            REFINER: [*self.refiner, always(QUERIES)],
            RESOLVER: [*self.resolver, always(RESOLUTION)],
            **({LOOPBACK_EMBEDDER: self.embedder} if self.embedder else {}),
        }


def once(name: str, step: Step, **more: Any) -> Row:
    """Return the row of a fault that passes: it strikes where the draft is due."""
    return Row(name=f"{name}, once", agent=(LOOK, step, DRAFT), **more)


def lasting(name: str, step: Step, **more: Any) -> Row:
    """Return the row of a fault that stays, evidence being at hand."""
    return Row(name=f"{name}, lasting", agent=(LOOK, always(step)), **more)


def both(name: str, step: Step, **more: Any) -> list[Row]:
    """Return the rows of a fault that may pass or stay."""
    return [once(name, step, **more), lasting(name, step, **more)]


CUT = Reply(turn(DRAFT).body, ending="cut")
STREAMED = {"stream_drafts": True}
MESSAGE = {"on_model_failure": "message"}
PLAIN = [Row(name="no fault")]
REFUSALS = [
    lasting("wrong key (400 API_KEY_INVALID)", fault.bad_key()),
    lasting("unknown model (404)", fault.unknown_model(LOOPBACK_MODEL)),
    lasting("region refused (400)", fault.region()),
    lasting("request refused (400)", fault.status(400, "Request contains an invalid argument.")),
]
OUTAGES = [
    *both("429 with RetryInfo of 1 s", fault.quota(1)),
    lasting("429 with RetryInfo beyond the deadline", fault.quota(40), context={"deadline_s": 20.0}),
    lasting("429, quota of the day spent", fault.quota(None, per="Day")),
    *both("500", fault.status(500)),
    *both("503", fault.status(503)),
    lasting("503, ON_MODEL_FAILURE=message", fault.status(503), settings=MESSAGE),
    lasting("502 of a gateway, in HTML", fault.gateway()),
    *both("connection closed", fault.closed()),
    Row(name="dead network", settings={"gemini_base_url": "http://127.0.0.1:9"}),
    once("slow first byte, within the time-out", fault.slow(1.0, DRAFT)),
    *both("no first byte before the time-out", fault.hang()),
    once("answer cut in a JSON string", CUT),
    *both("stream cut in a JSON string", CUT, context=STREAMED),
]
ENDINGS = [
    row
    for reason, step in {
        "SAFETY": fault.finish("SAFETY"),
        "RECITATION": fault.finish("RECITATION"),
        "MAX_TOKENS without text": fault.finish("MAX_TOKENS"),
        "MALFORMED_FUNCTION_CALL": fault.malformed_call(),
        "prompt blocked": fault.blocked(),
        "empty candidates": fault.empty(),
    }.items()
    for row in both(reason, step)
]
FIRST = [
    Row(name="prompt blocked before the first call, once", agent=(fault.blocked(), LOOK, DRAFT)),
    Row(name="prompt blocked before the first call, lasting", agent=(always(fault.blocked()),)),
]
ODD = [
    once("MAX_TOKENS in the middle of the draft", fault.finish("MAX_TOKENS", text("灯座底下刻着四个字：风停即返[E1]"))),
    once("two candidates", fault.two(DRAFT, text("第二个候选"))),
    Row(
        name="float arguments",
        agent=(call("vector_search", {"query": "铜灯", "top_k": 3.0, "chapter_filter": [1.0, 3.0]}), DRAFT),
        context={"toolkits": ["story"]},
    ),
    Row(name="text beside a call", agent=(turn(text("先查原文"), LOOK), DRAFT)),
    Row(
        name="parallel calls, one unknown",
        agent=(turn(LOOK, call("lookup_knowledge", {"entity": "沈青"}), call("fly", {"to": "月亮"})), DRAFT),
    ),
    Row(name="thinking parts", agent=(turn(thought("要找原文"), LOOK), turn(thought("够了"), DRAFT))),
]
ROLES = [
    Row(name="resolver: wrong key", resolver=(always(fault.bad_key()),), question=FOLLOW_UP, session=SESSION),
    Row(name="resolver: 503, lasting", resolver=(always(fault.status(503)),), question=FOLLOW_UP, session=SESSION),
    Row(name="resolver: no JSON, once", resolver=(text("{"), RESOLUTION), question=FOLLOW_UP, session=SESSION),
    Row(name="grader: 503, once", grader=(fault.status(503), GRADE)),
    Row(name="grader: 503, lasting", grader=(always(fault.status(503)),)),
    Row(name="grader: truncated JSON, lasting", grader=(always(fault.finish("MAX_TOKENS", text('{"scores": {'))),)),
    Row(
        name="refiner: 503, lasting",
        agent=(LOOK, DRAFT, LOOK, DRAFT),
        grader=(FAILED, GRADE),
        refiner=(always(fault.status(503)),),
    ),
]
EMBEDDER = [
    Row(name="embedder: 503, lasting", embedder=(always(fault.status(503)),)),
    Row(name="embedder: unknown model (404)", embedder=(always(fault.unknown_model(LOOPBACK_EMBEDDER)),)),
]
ROWS: list[Row] = [*PLAIN, *REFUSALS, *OUTAGES, *ENDINGS, *FIRST, *ODD, *ROLES, *EMBEDDER]
