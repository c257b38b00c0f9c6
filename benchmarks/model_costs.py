"""What a question costs with a model: calls and input tokens, asked of the loopback services in both protocols.

    python benchmarks/model_costs.py --data-dir /tmp/costs --json model_costs.json

The sample story and the sample network are asked as an ordinary model would: it answers from the material where that
holds the answer, else it searches once more; it grades what it is shown, and rewrites a follow-up. Tokens are those
that the loopback services count: two characters of a request's body are one token, whatever the script. With `--pure`
the model makes every call itself, one at a time (`opening_search=False`).
"""

import argparse
import asyncio
import re
import tempfile
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.measures import machine, write
from tests.gemini.exchange import Request
from tests.gemini.parts import Json, as_json, call, text
from tests.gemini.replies import Reply, turn
from tests.gemini.server import Server
from tests.gemini.space import LOOPBACK_MODEL, Space
from tests.openai_service.server import ChatServer
from wenmai.agent import Agent, open_agent
from wenmai.app import sample
from wenmai.app.container import Services
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.knowledge.files import read_network
from wenmai.settings.settings import Settings, load_settings

NETWORK: dict[str, Any] = {"toolkits": ["knowledge"], "kn_ids": [sample.NETWORK], "user_id": "costs"}
STORY: dict[str, Any] = {"library": sample.LIBRARY}
NAME = "knowledge_network_retrieval"
ROW = re.compile(r"\[E(\d+)\] (.*?)(?=\[E\d|</material>)", re.DOTALL)
POINTS = 16
SHOWN = ("kind", "calls", "input_tokens", "holds", "by_role", "question", "answer")
LENIENT = ("refusal_ok", "supported", "follows_material")
LIMITS = {"plain": (2, 6_000), "follow-up": (3, 7_500), "unanswerable": (4, 12_000), "two hops": (3, 8_000)}


@dataclass(frozen=True, slots=True)
class Case:
    """A question, what kind it is, and what an ordinary model does with it.

    Attributes:
        holds: words of the row that answers; '' where none does.
        more: calls of one turn that the model makes before it answers, where the material does not hold the answer.
        before: the question before it, of a follow-up; `means` is what it means.
    """

    kind: str
    question: str
    holds: str
    more: Sequence[Json] = ()
    context: dict[str, Any] = field(default_factory=lambda: STORY)
    before: "Case | None" = None
    means: str = ""


def search(query: str) -> Json:
    """Return a search of the story."""
    return call("search_memory", {"query": query})


def keyword(name: str, type_id: str) -> Json:
    """Return the look-up of an instance."""
    return call(NAME, {"query": name, "enable_keyword_context": True, "object_type_id": type_id})


STEPS = Case("plain", "石敢是怎么救下孟鸢的？", "安全索")
CASES = (
    Case("plain", "铜罗盘的盖子里刻着哪几个字？", "雾散即归"),
    Case("plain", "白鸦灯塔一共有多少级台阶？", "两百一十七级"),
    Case("plain", "莫青衣为什么恨沈观潮？", "弟弟"),
    STEPS,
    Case("follow-up", "他那年多大年纪？", "二十九岁", before=STEPS, means="石敢救下孟鸢那年多大年纪？"),
    Case("unanswerable", "宋砚的母亲叫什么名字？", "", [search("宋砚 母亲 名字"), search("宋砚 家人 娘")]),
    Case("unanswerable", "黑杜鹃号是在哪个船厂造的？", "", [search("黑杜鹃号 船厂 建造")]),
    Case("two hops", "云雀号的船长的籍贯是哪里？", "籍贯: 云州", [keyword("温若水", "person")], NETWORK),
    Case("two hops", "长风号的船长的籍贯是哪里？", "籍贯: 雾港", [keyword("杜衡之", "person")], NETWORK),
)


@dataclass(slots=True)
class Ordinary:
    """Plays the model of one question after another."""

    case: Case
    pure: bool

    def __call__(self, request: Request) -> Reply:
        """Answer one request."""
        if request.schema:
            return turn(as_json(self.structured(request.schema)))
        seen = str(request.contents)
        made = seen.count("functionCall") + seen.count("tool_calls")
        wanted = self.wanted() if request.may_call and not found(seen, self.case.holds) else []
        if self.pure:
            steps = [*self.wanted(), call("stop", {"reason": "sufficient"})]
            return turn(steps[made]) if request.may_call and made < len(steps) else turn(text(self.draft(seen)))
        return turn(*wanted) if wanted and not made else turn(text(self.draft(seen)))

    def wanted(self) -> list[Json]:
        """Return the calls that the model makes of itself."""
        case = self.case
        if self.pure and case.context is NETWORK:
            name = case.question.partition("的")[0]
            return [call(NAME, {"query": case.question}), keyword(name, "ship"), *case.more]
        return [search(case.means or case.question), *case.more] if self.pure else list(case.more)

    def draft(self, seen: str) -> str:
        """Return the row that answers with its number, else that there is none."""
        number = found(seen, self.case.holds)
        if not number:
            return "资料中没有提到这一点。"
        return f"资料写道：{self.case.holds}[E{number}]。"

    def structured(self, schema: Json) -> Any:
        """Return what resolver, grader or refiner is asked for."""
        if schema.get("type") == "array":
            return ["另一种说法", "换个角度"]
        made = {name: self.value(name, of, schema) for name, of in schema["properties"].items()}
        return made | ({"question": self.case.means} if "refers_back" in made else {})

    def value(self, name: str, of: Json, whole: Json) -> Any:
        """Return a fitting value of a property."""
        if "$ref" in of:
            of = whole["$defs"][of["$ref"].rpartition("/")[2]]
        if "properties" in of:
            return {inner: self.value(inner, one, whole) for inner, one in of["properties"].items()}
        kinds: dict[str, Any] = {"array": [], "boolean": name in LENIENT or name == "refers_back", "string": "查过了"}
        return of["enum"][0] if "enum" in of else kinds.get(of.get("type", ""), POINTS)


def found(seen: str, words: str) -> str:
    """Return the number of the first row that holds the words, '' without one."""
    return next((number for number, row in ROW.findall(seen) if words and words in row), "")


def settings_for(folder: Path, space: Space) -> Settings:
    """Return the settings of an agent that asks a loopback service."""
    service: dict[str, Any] = (
        {"google_api_key": space.key, "gemini_base_url": space.url}
        if space.provider == "gemini"
        else {"openai_api_key": space.key, "openai_base_url": space.url, "openai_model": LOOPBACK_MODEL}
    )
    return load_settings(_env_file=None, data_dir=folder / "data", trace_dir=folder / "traces", **service)


async def prepared(folder: Path) -> None:
    """Ingest the sample story and its network, unless they are there."""
    source = sample.sample_folder()
    services = Services(load_settings(_env_file=None, data_dir=folder / "data", trace_dir=folder / "traces"))
    request = IngestRequest(
        path=source / sample.STORY,
        library=sample.LIBRARY,
        title=sample.TITLE,
        aliases=source / sample.ALIASES,
        graph_files=tuple(source / name for name in sample.GRAPH),
    )
    try:
        await ingest(request, stores=services.stores, embedder=services.embedder, tagger=services.reader)
        network = read_network(source / sample.NETWORK, sample.NETWORK)
        await services.local_knowledge.put(network, lambda done, total: None)
    finally:
        await services.close()


async def asked(agent: Agent, player: Ordinary, case: Case) -> dict[str, Any]:
    """Ask a question, its predecessor before it, and return what it cost."""
    thread = str(uuid.uuid4())
    context = case.context | {"opening_search": not player.pure}
    for one in [case.before, case] if case.before else [case]:
        player.case = one
        record = (await agent.ask(one.question, thread_id=thread, **context)).record
    usage, (calls, tokens) = record["usage"], LIMITS[case.kind]
    most = {"calls": calls, "input_tokens": tokens}
    rows = usage["by"]
    cost = {name: sum(row[name] for row in rows) for name in most}
    by_role = {row["role"]: row["input_tokens"] for row in rows}
    own = {
        "question": case.question,
        "kind": case.kind,
        "answer": record["answer"],
        "passed": record["passed"],
        "by_role": by_role,
    }
    return {**own, **cost, "by_role": by_role, "most": most, "holds": all(cost[name] <= most[name] for name in most)}


async def measured(folder: Path, space: Space, *, pure: bool) -> list[dict[str, Any]]:
    """Ask every question of one service."""
    settings = settings_for(folder, space)
    named = (settings.gemini_model, settings.grader_model, settings.refiner_model, settings.resolver_model)
    space.know(*(id for id in named if id))
    player = Ordinary(STEPS, pure)
    space.answer(player)
    async with open_agent(settings) as agent:
        await asked(agent, player, STEPS)  # a process asks a server of OpenAI's protocol once whether it has tools
        rows = [await asked(agent, player, case) for case in CASES]
    space.assert_clean()
    return rows


def main() -> None:
    """Measure both services and write a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data-dir", type=Path, help="folder that keeps the ingested sample; unset: a temporary one")
    parser.add_argument("--pure", action="store_true", help="without the opening search")
    parser.add_argument("--json", type=Path, help="file for the figures")
    arguments = parser.parse_args()
    servers: dict[str, Callable[[], Server | ChatServer]] = {"gemini": Server, "openai": ChatServer}
    figures: dict[str, Any] = {"benchmark": "model_costs", "pure": arguments.pure, "machine": machine()}
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.data_dir or Path(temporary)
        asyncio.run(prepared(folder))
        for name, server in servers.items():
            running = server().start()
            figures[name] = asyncio.run(measured(folder, running.open(), pure=arguments.pure))
            running.stop()
            for row in figures[name]:
                print(
                    name,
                    *(row[key] for key in ("kind", "calls", "input_tokens", "holds", "by_role", "question", "answer")),
                )
    write(arguments.json, figures)


if __name__ == "__main__":
    main()
