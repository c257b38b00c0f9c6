"""Does the spoiler guard hold? Questions that aim behind it, and a comparison of all that is seen with the book's text.

    python -m benchmarks.leaks ../shared/data [--books NAME=LIBRARY …] [--questions 50] [--form epub] [--off]

The guard stands at a third of each book, which is taken in as a file or folder of one of the forms of `leak_forms`.
Compared are answers, evidence, citations, results of tools, what the mind is asked, events, sessions, traces as
`wenmai trace` shows them, and what `entities list`, `libraries`, `notes`, `recap`, `ingest --preview` and MCP tell, and
the summaries and descriptions that a model wrote who knows the whole book and tells it. A leak is a sentence or a row
of words that occurs only behind the guard, a name first mentioned there, a title, a place or a count of later chapters;
what the user typed himself is none. Libraries are those of
DATA_DIR; a missing one is ingested. `--off` asks without the guard: the script must then find leaks. Exits with 1
where there are any.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.leak_books import Book, read_book
from benchmarks.leak_forms import FORMS, written
from benchmarks.leak_hunt import Hunt, overheard
from benchmarks.leak_questions import RECALLED, Talk, calls, talks
from benchmarks.leak_summaries import see_summaries, write_summaries
from graph.builder import build_graph
from wenmai.agent import Agent, open_agent
from wenmai.application.caller import Caller
from wenmai.application.tools import agent_asker
from wenmai.cli.output.answers import answer_lines, timeline
from wenmai.direct_tools.offered import direct_tools
from wenmai.observability.traces import as_read, read_trace

BOOKS = ("三国演义", "shengsichang", "zenda", "thirty_nine_steps")
SHOWN_LEAKS = 20
WIDE = {"COLUMNS": "4000", "NO_COLOR": "1"}


@dataclass(frozen=True, slots=True)
class Way:
    """How a talk is held: fields of the context beside library and guard, and an unguarded question before it."""

    context: dict[str, Any]
    before: str | None = None


WAYS = (
    Way({}),
    Way({"toolkits": ["story"]}),
    Way({"mode": "rag"}),
    Way({"toolkits": ["story", "narrative"]}),
    Way({"user_id": "reader", "remember": True}, ""),
)
UNGUARDED_FIRST = 4


def way_of(book: Book, at: int) -> Way:
    """Return how a talk is held; every fifth goes on from one without the guard, about somebody whom it hides."""
    way = WAYS[at % len(WAYS)]
    return way if way.before is None else replace(way, before=book.later_names[at // len(WAYS) % len(book.later_names)])


async def talk_over(agent: Agent, hunt: Hunt, talk: Talk, requests: list[object], way: Way) -> None:
    """Ask the questions of a talk, behind one without the guard if there is one, and compare all that is seen."""
    typed = "\n".join([way.before or "", *talk])
    run: dict[str, Any] = {"library": hunt.library, **way.context}
    thread = None
    if way.before is not None:
        open_answer = await agent.ask(way.before, **run)
        thread = open_answer.thread_id
        shown = as_read(read_trace(Path(open_answer.record["trace"])), hunt.book.horizon) if hunt.is_guarded else {}
        hunt.see([shown, lines_of(shown)], typed, "trace without the guard")
    for question in talk:
        requests.clear()
        events = [one async for one in agent.stream(question, thread_id=thread, **run, **hunt.guard)]
        record: dict[str, Any] = dict(events[-1].data)
        thread = record["thread_id"]
        hunt.questions += 1
        hunt.see([one.data for one in events], typed, "events")
        hunt.see(record, typed, "record")
        hunt.see([line.text for line in answer_lines(record)], typed, "ask")
        hunt.see(list(requests), typed, "mind")
        trace = read_trace(Path(record["trace"]))
        hunt.see([trace, lines_of(trace)], typed, "trace")
        state = (await agent.graph.aget_state(agent.config(thread))).values
        hunt.see([state["session"], state["messages"] if way.before is None else []], typed, "state")


def lines_of(trace: dict[str, Any]) -> list[str]:
    """Return a trace as `wenmai trace` prints it."""
    return [line.text for line in timeline(trace)] if trace else []


async def call_tools(agent: Agent, hunt: Hunt) -> None:
    """Call single tools, and read what MCP lists of the library."""
    tools = direct_tools(agent.services, agent_asker(agent, agent.services))
    for name, args in calls(hunt.book):
        reply = await tools.call(name, {**args, "library": hunt.library, **hunt.guard}, Caller(user_id=""))
        hunt.see([reply.structured, reply.text], json.dumps(args, ensure_ascii=False), f"tool {name}")
    listed = await tools.call("list_libraries", hunt.guard, Caller(user_id=""))
    mine = [row for row in listed.structured["libraries"] if row["name"] == hunt.library]
    hunt.see(mine, "", "list_libraries")
    assert [row["chapters"] for row in mine] == [hunt.book.read] or not hunt.is_guarded, mine
    query = "&".join(f"{name}={value}" for name, value in hunt.guard.items())
    table = await tools.chapters.read(f"wenmai://{hunt.library}{'?' if query else ''}{query}", Caller(user_id=""))
    rows = table if isinstance(table, str) else [row.model_dump() for row in table]
    hunt.see(rows, "", "resource")


def see_commands(hunt: Hunt, text: Path) -> None:
    """Run the commands that show a library, and compare what they print."""
    commands = [
        ["entities", "list", "-l", hunt.library],
        ["notes", "-l", hunt.library, "--full"],
        ["recap", "-l", hunt.library],
        ["ingest", str(text), "--preview"],
    ]
    for command in commands:
        out = printed([*command, *hunt.options])
        hunt.see(out.splitlines(), "", command[0])
    own = [row for row in printed(["libraries", *hunt.options]).splitlines() if hunt.library in row]
    hunt.see(own, "", "libraries")


def printed(command: Sequence[str]) -> str:
    """Run `wenmai` and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "wenmai", *command], capture_output=True, text=True, env=os.environ | WIDE, check=True
    )
    return done.stdout + done.stderr


@asynccontextmanager
async def listening_agent(requests: list[object]) -> AsyncIterator[Agent]:
    """Give an agent by rule, even where a key is set, whose mind's requests are kept."""
    with tempfile.TemporaryDirectory() as traces:
        async with open_agent(use_mock_llm=True, trace_dir=traces) as agent:
            parts = agent.services.assembly.dependencies()
            graph = build_graph(replace(parts, mind=overheard(parts.mind, requests)), agent.checkpoints)
            yield Agent(agent.services, graph, agent.checkpoints)


async def hunted(agent: Agent, hunt: Hunt, count: int, requests: list[object]) -> None:
    """Ask a book's questions in several ways, and call its tools."""
    for at, talk in enumerate(talks(hunt.book, count)):
        await talk_over(agent, hunt, talk, requests, way_of(hunt.book, at))
    recalled = replace(way_of(hunt.book, UNGUARDED_FIRST), before=hunt.book.later_names[0])
    await talk_over(agent, hunt, [RECALLED[hunt.book.is_chinese]], requests, recalled)
    await call_tools(agent, hunt)
    hunt.summaries = await see_summaries(agent.services, hunt)


async def library_names(agent: Agent, library: str) -> list[str]:
    """Return all spellings that the product knows."""
    return [one.text for one in await agent.services.graph.names(library, None)]


async def run(data: Path, wanted: dict[str, str], count: int, form: str, *, is_guarded: bool) -> list[Hunt]:
    """Compare each book."""
    hunts, requests = list[Hunt](), list[object]()
    with tempfile.TemporaryDirectory() as folder:
        texts = {name: Path(folder) / name for name in wanted}
        for name, library in wanted.items():
            texts[name] = written(data, read_book(data, name), texts[name], form)
            if library not in printed(["libraries"]):
                printed(["ingest", str(texts[name]), "--library", library])
        async with listening_agent(requests) as agent:
            for name, library in wanted.items():
                book = read_book(data, name, await library_names(agent, library))
                hunts.append(Hunt(book, library, is_guarded))
                await write_summaries(agent.services, hunts[-1])
                await hunted(agent, hunts[-1], count, requests)
        for hunt in hunts:
            see_commands(hunt, texts[hunt.book.name])
    return hunts


def table_of(hunts: Sequence[Hunt]) -> Table:
    """Return what was compared, and the leaks by kind."""
    table = Table("book", "guard", "questions", "summaries", "texts compared", "different", "leaks", "by kind")
    for hunt in hunts:
        kinds = Counter(leak.kind for leak in hunt.leaks)
        horizon = hunt.book.horizon
        table.add_row(
            hunt.book.name,
            f"{horizon.part}, {horizon.chapter}" if hunt.is_guarded else "off",
            *map(str, (hunt.questions, hunt.summaries, hunt.compared, len(hunt.texts), len(hunt.leaks))),
            ", ".join(f"{kind} {times}" for kind, times in kinds.most_common()),
        )
    return table


def rows_of(hunts: Sequence[Hunt]) -> Iterator[dict[str, Any]]:
    """Yield the figures of each book, with its first leaks."""
    for hunt in hunts:
        yield {
            "book": hunt.book.name,
            "guard": asdict(hunt.book.horizon) if hunt.is_guarded else None,
            "questions": hunt.questions,
            "summaries": hunt.summaries,
            "compared": hunt.compared,
            "leaks": len(hunt.leaks),
            "first": [asdict(leak) for leak in hunt.leaks[:SHOWN_LEAKS]],
        }


def main() -> None:
    """Ask, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--books", nargs="+", default=BOOKS, metavar="NAME=LIBRARY")
    parser.add_argument("--questions", type=int, default=50, help="for each book")
    parser.add_argument("--form", choices=FORMS, default="txt", help="of the file that is taken in")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--off", action="store_true", help="without the guard")
    given = parser.parse_args()
    wanted = {
        name: library or f"leaks-{at}" for at, (name, _, library) in enumerate(b.partition("=") for b in given.books)
    }
    hunts = asyncio.run(run(given.data, wanted, given.questions, given.form, is_guarded=not given.off))
    console = Console()
    console.print(table_of(hunts))
    for leak in dict.fromkeys(leak for hunt in hunts for leak in hunt.leaks[:SHOWN_LEAKS]):
        console.print(f"{leak.kind}: {leak.what[:80]} ({leak.where})", markup=False)
    if given.json:
        given.json.write_text(json.dumps(list(rows_of(hunts)), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    sys.exit(any(hunt.leaks for hunt in hunts))


if __name__ == "__main__":
    main()
