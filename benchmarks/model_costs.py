"""What a question costs with a model: calls and input tokens, asked of the loopback services in both protocols.

    python -m benchmarks.model_costs --data-dir /tmp/costs --json model_costs.json
    python -m benchmarks.model_costs --book BOOKS/zenda BOOKS/rulin --data-dir /tmp/costs --json book_costs.json
    python -m benchmarks.model_costs --book BOOKS/zenda BOOKS/rulin --kind book --data-dir /tmp/costs

The sample story and the sample network, or books, are asked as an ordinary model would: it answers from the material
where that holds the answer, else it searches once more; it grades what it is shown, and rewrites a follow-up. Tokens
are those of the tokenizer of the built-in embedder, over all names and texts in the body of each request. With `--pure`
the model makes every call itself, one at a time (`opening_search=False`).

A book is a folder with `text.txt`, `questions.jsonl` (question, quotes, answer_keys) and `dialogues.jsonl`. Of its
questions are counted, too, those that have a gold quotation in a passage of the opening search (found), those that see
it in the rows of the first request (seen), and those that see the whole passage.

With `--kind book` the questions on books as wholes of `benchmarks/book_questions` are asked: who the people are, what a
chapter or the book tells, in what order, how two met … Each names what a person needs to answer it, by alternatives
that were written down before anything was measured; `shown` counts the questions with all of that in the material of
the first request. Where something is missing the model makes one more call.
"""

import argparse
import asyncio
import json
import re
import tempfile
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.measures import machine, write
from state.context import Language
from tests.gemini.exchange import Request
from tests.gemini.parts import Json, as_json, call, text
from tests.gemini.replies import Reply, turn
from tests.gemini.server import Server
from tests.gemini.space import LOOPBACK_MODEL, Space
from tests.openai_service.server import ChatServer
from tools.language import spoken_in
from wenmai.agent import Agent, open_agent
from wenmai.app import sample
from wenmai.app.container import Services
from wenmai.embedders.e5.weights import open_weights
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.knowledge.files import read_network
from wenmai.reader.reader import open_inputs
from wenmai.settings.settings import Settings, load_settings

NETWORK: dict[str, Any] = {"toolkits": ["knowledge"], "kn_ids": [sample.NETWORK], "user_id": "costs"}
STORY: dict[str, Any] = {"library": sample.LIBRARY}
NAME = "knowledge_network_retrieval"
ROW = re.compile(r"\[E(\d+)\] (.*?)(?=\[E\d+\]|</material>)", re.DOTALL)
PRONOUN = re.compile(r"[他她它]们?|\b(?:he|she|him|her|they|them|it)\b", re.IGNORECASE)
POINTS = 16
ROLES = {"refers_back": "resolver", "claims": "grader"}  # by a property of the schema that is asked for
LENIENT = ("refusal_ok", "supported", "follows_material")
LIMITS = {"plain": (2, 6_500), "follow-up": (3, 7_000), "unanswerable": (3, 10_000), "two hops": (3, 8_000)}
OF_BOOKS = (2, 6_000)
BOOK_QUESTIONS = Path(__file__).parent / "book_questions"
SHOWN = re.compile(r"<material>(.*?)</material>", re.DOTALL)
SAYS: dict[Language, str] = {"zh": "资料写道：{words}[E{number}]。", "en": "The text says this: {words} [E{number}]."}
NOTHING: dict[Language, str] = {"zh": "资料中没有提到这一点。", "en": "The material does not mention this."}
OTHER_WORDS: dict[Language, list[str]] = {"zh": ["另一种说法", "换个角度"], "en": ["in other words", "another side"]}

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """A question, what kind it is, and what an ordinary model does with it.

    Attributes:
        holds: alternatives; a row answers that has all words of one. None where nothing answers.
        more: calls of one turn that the model makes before it answers, where the material does not hold the answer.
        gold: quotations of the text that answer, of a question on a book.
        needed: alternatives for each thing that a person needs, of a question on a book as a whole.
        before: the question before it, of a follow-up; `means` is what it means.
    """

    kind: str
    question: str
    holds: Sequence[Words] = ()
    more: Sequence[Json] = ()
    context: dict[str, Any] = field(default_factory=lambda: STORY)
    gold: Sequence[str] = ()
    needed: Sequence[Words] = ()
    before: "Case | None" = None
    means: str = ""


def search(query: str) -> Json:
    """Return a search of the story."""
    return call("search_memory", {"query": query})


def keyword(name: str, type_id: str) -> Json:
    """Return the look-up of an instance."""
    return call(NAME, {"query": name, "enable_keyword_context": True, "object_type_id": type_id})


STEPS = Case("plain", "石敢是怎么救下孟鸢的？", [("安全索",)])
CASES = (
    Case("plain", "铜罗盘的盖子里刻着哪几个字？", [("雾散即归",)]),
    Case("plain", "白鸦灯塔一共有多少级台阶？", [("两百一十七级",)]),
    Case("plain", "莫青衣为什么恨沈观潮？", [("弟弟",)]),
    STEPS,
    Case("follow-up", "他那年多大年纪？", [("二十九岁",)], before=STEPS, means="石敢救下孟鸢那年多大年纪？"),
    Case("unanswerable", "宋砚的母亲叫什么名字？", (), [search("宋砚 母亲 名字"), search("宋砚 家人 娘")]),
    Case("unanswerable", "黑杜鹃号是在哪个船厂造的？", (), [search("黑杜鹃号 船厂 建造")]),
    Case("two hops", "云雀号的船长的籍贯是哪里？", [("籍贯: 云州",)], [keyword("温若水", "person")], NETWORK),
    Case("two hops", "长风号的船长的籍贯是哪里？", [("籍贯: 雾港",)], [keyword("杜衡之", "person")], NETWORK),
)


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a JSON Lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def book_cases(book: Path) -> Iterator[Case]:
    """Give the questions on a book, and the first follow-up of each dialogue."""
    context = {"library": book.name}
    for row in rows_of(book / "questions.jsonl"):
        quotes = [flat(quote) for quote in row["quotes"]]
        other = search(" ".join(re.findall(r"[A-Z][a-z]+|[a-z]{5,}|[\u4e00-\u9fff]+", row["question"])))
        holds = [(quote,) for quote in quotes]
        yield Case("plain" if quotes else "unanswerable", row["question"], holds, [other], context, quotes)
    for row in rows_of(book / "dialogues.jsonl"):
        first, *rest = row["turns"]
        follow_up = next((one for one in rest if not one["self_contained"] and one["answer_keys"]), None)
        if follow_up:
            name = follow_up["resolved_names"][0]
            means, count = PRONOUN.subn(name, follow_up["question"], count=1)
            means = means if count else f"{name}: {follow_up['question']}"
            before = Case("plain", first["question"], list(map(tuple, first["answer_keys"])), (), context)
            holds = list(map(tuple, follow_up["answer_keys"]))
            yield Case("follow-up", follow_up["question"], holds, [search(means)], context, before=before, means=means)


def whole_book_cases(book: Path) -> Iterator[Case]:
    """Give the questions on a book as a whole."""
    for row in rows_of(BOOK_QUESTIONS / f"{book.name}.jsonl"):
        needed = [tuple(one) for one in row["needed"]]
        more = [search(row["question"])]
        yield Case(row["kind"], row["question"], more=more, context={"library": book.name}, needed=needed)


def missing(seen: str, needed: Sequence[Words]) -> list[Words]:
    """Return what is needed and not shown in any material."""
    material = " ".join(SHOWN.findall(seen)).casefold()
    return [words for words in needed if not any(word.casefold() in material for word in words)]


@dataclass(slots=True)
class Ordinary:
    """Plays the model of one question after another."""

    case: Case
    pure: bool

    def __call__(self, request: Request) -> Reply:
        """Answer one request."""
        if request.schema:
            return turn(as_json(self.structured(request.schema)))
        seen, contents = words_in(request.contents), str(request.contents)
        made = contents.count("functionCall") + contents.count("tool_calls")
        lacks = bool(missing(seen, self.case.needed)) if self.case.needed else not found(seen, self.case.holds)
        wanted = self.wanted() if request.may_call and lacks else []
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
        language = spoken_in(self.case.question)
        if self.case.needed:
            rows = [found(seen, [(word,) for word in words]) for words in self.case.needed]
            lines = [SAYS[language].format(words=row[1][0], number=row[0]) for row in rows if row]
            return "\n".join(lines) or NOTHING[language]
        if (row := found(seen, self.case.holds)) is None:
            return NOTHING[language]
        number, words = row
        return SAYS[language].format(words=", ".join(words), number=number)

    def structured(self, schema: Json) -> Any:
        """Return what resolver, grader or refiner is asked for."""
        if schema.get("type") == "array":
            return OTHER_WORDS[spoken_in(self.case.question)]
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


def flat(words: str) -> str:
    """Return a text with single blanks: lines of a book are broken anywhere."""
    return " ".join(words.split())


def words_in(value: Any) -> str:
    """Return all texts within a value, with the names of its fields."""
    if isinstance(value, dict):
        return " ".join(f"{name} {words_in(part)}" for name, part in value.items())
    return " ".join(map(words_in, value)) if isinstance(value, list) else flat(str(value))


def found(seen: str, holds: Sequence[Words]) -> tuple[str, Words] | None:
    """Return the number of the first row that has all words of an alternative, and those words."""
    rows = ((number, words, row) for number, row in ROW.findall(seen) for words in holds)
    return next(((number, words) for number, words, row in rows if all(word in row for word in words)), None)


def settings_for(folder: Path, space: Space) -> Settings:
    """Return the settings of an agent that asks a loopback service."""
    service: dict[str, Any] = (
        {"google_api_key": space.key, "gemini_base_url": space.url}
        if space.provider == "gemini"
        else {"openai_api_key": space.key, "openai_base_url": space.url, "openai_model": LOOPBACK_MODEL}
    )
    return load_settings(_env_file=None, data_dir=folder / "data", trace_dir=folder / "traces", **service)


async def prepared(folder: Path, books: Sequence[Path]) -> None:
    """Ingest the books, or the sample story and its network, unless they are there."""
    source = sample.sample_folder()
    services = Services(load_settings(_env_file=None, data_dir=folder / "data", trace_dir=folder / "traces"))
    requests = [IngestRequest(path=book / "text.txt", library=book.name, title=book.name) for book in books]
    own = IngestRequest(
        path=source / sample.STORY,
        library=sample.LIBRARY,
        title=sample.TITLE,
        aliases=source / sample.ALIASES,
        graph_files=tuple(source / name for name in sample.GRAPH),
    )
    try:
        known = [one.name for one in await services.catalog.libraries()] if books else []
        for request in (one for one in requests or [own] if one.library not in known):
            await ingest(request, stores=services.stores, embedder=services.embedder, tagger=services.reader)
        if not books:
            network = read_network(source / sample.NETWORK, sample.NETWORK)
            await services.local_knowledge.put(network, lambda done, total: None)
    finally:
        await services.close()


@dataclass(frozen=True, slots=True)
class Measuring:
    """Asks questions of one service and counts what they cost."""

    agent: Agent
    space: Space
    player: Ordinary
    tokens: Callable[[str], int]

    async def __call__(self, case: Case) -> dict[str, Any]:
        """Ask a question, its predecessor before it, and return what it cost."""
        thread = str(uuid.uuid4())
        context = case.context | {"opening_search": not self.player.pure}
        for one in [case.before, case] if case.before else [case]:
            self.player.case, begin = one, len(self.space.history)
            record = (await self.agent.ask(one.question, thread_id=thread, **context)).record
        requests = self.space.history[begin:]
        by_role: dict[str, int] = {}
        for request in requests:
            role = role_of(request)
            by_role[role] = by_role.get(role, 0) + self.tokens(words_in(request.body))
        calls, tokens = OF_BOOKS if case.needed else LIMITS[case.kind]
        most = {"calls": calls, "input_tokens": tokens}
        cost = {"calls": len(requests), "input_tokens": sum(by_role.values())}
        holds = all(cost[name] <= most[name] for name in most)
        row = {"kind": case.kind, **cost, "holds": holds, "by_role": by_role, "question": case.question}
        return {**row, "answer": record["answer"], "passed": record["passed"], **self.view(case, record, requests)}

    def view(self, case: Case, record: dict[str, Any], requests: Sequence[Request]) -> dict[str, Any]:
        """Return how many gold quotations the opening search found, how many are seen, and in whole passages.

        Of a question on a book as a whole: whether all that is needed was shown, and what was not.
        """
        if case.needed:
            seen = words_in(next(one for one in requests if role_of(one) == "planner").contents)
            return {"shown": not missing(seen, case.needed), "missing": missing(seen, case.needed)}
        if not case.gold:
            return {}
        opened = {one["call"] for one in record["tool_calls"] if one["round"] == 0}
        pieces = (one for one in record["evidence"] if one["call"] in opened and one["kind"] == "passage")
        passages = [flat(one["text"]) for one in pieces]
        shown = words_in(next(one for one in requests if role_of(one) == "planner").contents)
        gold = [(quote, passage) for quote in case.gold for passage in passages if quote in passage]
        pairs = {quote: passage for quote, passage in reversed(gold)}
        return {
            "found": len(pairs),
            "seen": sum(quote in shown for quote in pairs),
            "whole": sum(passage in shown for passage in pairs.values()),
        }


def role_of(request: Request) -> str:
    """Return the role that a request is of."""
    if not request.schema:
        return "planner"
    return next((role for name, role in ROLES.items() if name in request.schema.get("properties", {})), "refiner")


async def measured(
    folder: Path, space: Space, cases: Sequence[Case], tokens: Callable[[str], int], *, pure: bool
) -> list[dict[str, Any]]:
    """Ask every question of one service."""
    settings = settings_for(folder, space)
    named = (settings.gemini_model, settings.grader_model, settings.refiner_model, settings.resolver_model)
    space.know(*(id for id in named if id))
    player = Ordinary(STEPS, pure)
    space.answer(player)
    async with open_agent(settings) as agent:
        ask = Measuring(agent, space, player, tokens)
        await ask(cases[0])  # a process asks a server of OpenAI's protocol once whether it has tools
        rows = [await ask(case) for case in cases]
    space.assert_clean()
    return rows


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return mean and greatest cost of each kind of question, and what is seen of what was found."""
    made = dict[str, dict[str, Any]]()
    kinds = [row["kind"] for row in rows]
    for kind in [*dict.fromkeys(kinds), *(["all"] if "shown" in rows[0] else [])]:
        own = [row for row in rows if kind in (row["kind"], "all")]
        figures: dict[str, Any] = {"questions": len(own), "holds": sum(row["holds"] for row in own)}
        for name in ("calls", "input_tokens"):
            figures[name] = round(sum(row[name] for row in own) / len(own), 2)
            figures[f"most_{name}"] = max(row[name] for row in own)
        counted = [name for name in ("found", "seen", "whole", "shown") if name in own[0]]
        made[kind] = figures | {name: sum(row.get(name, 0) for row in own) for name in counted}
    return made


def main() -> None:
    """Measure both services and write a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data-dir", type=Path, help="folder that keeps what is ingested; unset: a temporary one")
    parser.add_argument("--book", type=Path, nargs="+", default=[], help="folders of books; unset: the sample")
    parser.add_argument("--kind", choices=["book"], help="book: questions on the books as wholes")
    parser.add_argument("--service", choices=["gemini", "openai"], help="one protocol; unset: both")
    parser.add_argument("--pure", action="store_true", help="without the opening search")
    parser.add_argument("--json", type=Path, help="file for the figures")
    arguments = parser.parse_args()
    servers: dict[str, Callable[[], Server | ChatServer]] = {"gemini": Server, "openai": ChatServer}
    figures: dict[str, Any] = {"benchmark": "model_costs", "pure": arguments.pure, "machine": machine()}
    tokenizer = open_inputs(open_weights(), None).tokenizer
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.data_dir or Path(temporary)
        asyncio.run(prepared(folder, arguments.book))
        cases_of = whole_book_cases if arguments.kind else book_cases
        sets = {book.name: list(cases_of(book)) for book in arguments.book} or {"sample": list(CASES)}
        for name, server in servers.items():
            if arguments.service in (None, name):
                running = server().start()
                for title, cases in sets.items():
                    rows = asyncio.run(
                        measured(
                            folder,
                            running.open(),
                            cases,
                            lambda words: len(tokenizer.encode(words)),
                            pure=arguments.pure,
                        )
                    )
                    figures[f"{name} {title}"] = {"summary": summary(rows), "rows": rows}
                    for row in rows if not arguments.book else ():
                        print(name, *row.values())
                    for kind, figure in summary(rows).items():
                        print(name, title, kind, figure, flush=True)
                running.stop()
    write(arguments.json, figures)


if __name__ == "__main__":
    main()
