"""What the user gets when Gemini fails over uploaded documents, in rag and in agent mode.

    python benchmarks/document_faults.py --json document_faults.json --markdown docs/reports/document_faults.md

As `faults.py`, whose parts it uses: the loopback Gemini plays the faults, all else is the product's own.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from benchmarks.fault_rows import Row
from benchmarks.faults import TIMEOUT_S, asked, cells, scripted, settings_of, warmed, written
from benchmarks.report import conditions, table
from tests.gemini import fault
from tests.gemini.parts import call, text
from tests.gemini.replies import Always, Step, always, turn, usage
from tests.gemini.server import Server
from tests.gemini.space import LOOPBACK_EMBEDDER, LOOPBACK_MODEL
from wenmai.agent import open_agent

USER = "benchmark"
QUESTION = "差旅报销要在几天内提交发票？"
FILE = "手册.md"
HANDBOOK = "# 员工手册\n\n## 休假\n\n员工每年享有十五天带薪年假。\n\n## 报销\n\n差旅报销须在三十天内提交发票。\n"
LOOK = call("semantic_search", {"query": "差旅报销 发票"})
DRAFT = text("差旅报销须在三十天内提交发票[E1]。")
MODES = ("rag", "agent")
ENOUGH = 1_000  # tokens of a question, where a row spends them
Steps = tuple[Step | Always, ...]
HEAD = f"""# Faults of the model service, on uploaded documents

Written by `benchmarks/document_faults.py`; nothing is typed by hand. Every fault is played twice, in rag and in agent
mode, on one question about one uploaded file, with the real client, stores, retries and pauses; the loopback Gemini of
`tests/gemini` plays the service. MODEL_TIMEOUT_S is {TIMEOUT_S:g} here (default 60). In agent mode a fault strikes the
turn that should write the draft, when evidence is already at hand, unless its row says otherwise. The other faults,
those of grader, refiner and resolver among them, are in [faults.md](faults.md), which explains the columns too.
"""
FAULTS: dict[str, Steps] = {
    "no fault": (DRAFT,),
    "wrong key, lasting": (always(fault.bad_key()),),
    "unknown model (404), lasting": (always(fault.unknown_model(LOOPBACK_MODEL)),),
    "429 with RetryInfo of 1 s, once": (fault.quota(1), DRAFT),
    "429, quota of the day spent, lasting": (always(fault.quota(None, per="Day")),),
    "503, once": (fault.status(503), DRAFT),
    "503, lasting": (always(fault.status(503)),),
    "502 of a gateway, in HTML, lasting": (always(fault.gateway()),),
    "connection closed, once": (fault.closed(), DRAFT),
    "connection closed, lasting": (always(fault.closed()),),
    "no first byte before the time-out, once": (fault.hang(), DRAFT),
    "no first byte before the time-out, lasting": (always(fault.hang()),),
    "SAFETY, once": (fault.finish("SAFETY"), DRAFT),
    "SAFETY, lasting": (always(fault.finish("SAFETY")),),
    "MAX_TOKENS without text, once": (fault.finish("MAX_TOKENS"), DRAFT),
    "MAX_TOKENS without text, lasting": (always(fault.finish("MAX_TOKENS")),),
    "MAX_TOKENS in the middle of the answer": (fault.finish("MAX_TOKENS", text("差旅报销须在三十天内提交发票[E1]")),),
    "MALFORMED_FUNCTION_CALL, lasting": (always(fault.malformed_call()),),
    "prompt blocked, lasting": (always(fault.blocked()),),
    "empty candidates, lasting": (always(fault.empty()),),
}


def rows() -> Iterator[tuple[str, Row]]:
    """Yield every fault in both modes."""
    for mode in MODES:
        first: Steps = (LOOK,) if mode == "agent" else ()
        for name, steps in FAULTS.items():
            yield mode, Row(name=name, agent=(*first, *steps))
        yield (
            mode,
            Row(
                name="503, ON_MODEL_FAILURE=message, lasting",
                agent=(*first, always(fault.status(503))),
                settings={"on_model_failure": "message"},
            ),
        )
        yield mode, Row(name="dead network", settings={"gemini_base_url": "http://127.0.0.1:9"})
        spent = turn(LOOK if first else DRAFT, tokens=usage(900, 200))
        yield (
            mode,
            Row(name=f"max_tokens={ENOUGH} spent by the first call", agent=(spent,), context={"max_tokens": ENOUGH}),
        )
        yield (
            mode,
            Row(name="deadline_s=2, no first byte", agent=(*first, always(fault.hang())), context={"deadline_s": 2.0}),
        )
        yield mode, Row(name="embedder: 503, lasting", agent=(*first, DRAFT), embedder=(always(fault.status(503)),))
    broken = Row(
        name="503 before the first call, FALLBACK_TO_RAG=true",
        agent=(*[fault.status(503)] * 3, DRAFT),
        settings={"fallback_to_rag": True},
    )
    yield "agent", broken


async def measured(server: Server, folder: Path, mode: str, row: Row) -> dict[str, Any]:
    """Ask a row's question in a session of its own and return what came of it."""
    with scripted(server, row) as gemini:
        changed = row.settings | ({"embedding_model": LOOPBACK_EMBEDDER} if row.embedder else {})
        where = folder / ("by-gemini" if row.embedder else "built-in")
        thread = uuid4().hex
        async with open_agent(settings_of(where, server.open(), **changed)) as agent:
            await agent.upload(FILE, content=HANDBOOK.encode(), thread_id=thread, user_id=USER)
        async with open_agent(settings_of(where, gemini, **changed)) as agent:
            if not row.embedder:
                await warmed(agent)
            context = {"toolkits": ["documents"], "mode": mode, "thread_id": thread, "user_id": USER}
            return {"mode": mode, **await asked(agent, gemini, replace(row, question=QUESTION), **context)}


async def every_row(folder: Path) -> list[dict[str, Any]]:
    """Ask all questions, one after the other."""
    server = Server(keep_alive=True).start()
    try:
        await measured(server, folder, *next(rows()))  # what a process loads at its first question is not the fault's
        return [await measured(server, folder, mode, row) for mode, row in rows()]
    finally:
        server.stop()


def markdown(figures: dict[str, Any]) -> str:
    """Return the page."""
    head = ["mode", "fault", "the user gets", "mind", "passed", "tried again", "requests", "seconds", "warning"]
    return "\n".join([HEAD, conditions(figures), table(head, [[row["mode"], *cells(row)] for row in figures["rows"]])])


if __name__ == "__main__":
    written("document_faults", __doc__ or "", markdown, every_row)
