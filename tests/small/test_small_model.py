"""MODEL_PROFILE=small at Python's door: the offline mind finds, the small model words, code checks (loop.md)."""

import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from state.schema import Edge, Evidence
from tests.gemini.parts import as_json
from tests.gemini.parts import text as said
from tests.gemini.replies import always, turn
from tests.gemini.space import LOOPBACK_MODEL
from tests.graph.rig import piece
from tests.openai_service.space import OpenAI
from tests.small_model import HABITS, Habit, SmallModel
from tools.errors import StoreLocked
from tools.evidence import blank
from tools.language import tokens
from tools.records import Name
from tools.story.names import NameTable
from wenmai.agent import Agent, open_agent
from wenmai.app.container import Services
from wenmai.app.doctor import check_model
from wenmai.ingestion.model.reading import ReadingOptions
from wenmai.ingestion.model.summary_requests import SummaryRequest
from wenmai.ingestion.model.tokens import request_tokens
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.minds.model.client import ModelSettings
from wenmai.minds.model.extractor import bounded
from wenmai.minds.wording import is_against
from wenmai.settings.settings import load_settings
from wenmai.stores.files.folder import LibraryFolders

STORY = """第一回 雾港

清晨，陆沉舟走进雾港的码头，遇见了卖灯的姑娘苏晚照。苏晚照把父亲留下的铜灯藏在灯塔的地窖里。码头上的人都说这盏灯早就沉了海。

第二回 大雪

大雪下了三天，渡船停了。陆沉舟在茶馆里修好了一只旧钟，掌柜送他一把红伞。

第三回 铜灯

开春以后，守塔的老秦扫地窖，找到了那盏铜灯，把它挂在了塔顶。苏晚照站在塔下看了一夜。
"""
LAMP = "苏晚照把铜灯藏在哪里？"
CLOCK = "陆沉舟在茶馆里修好了什么？"
FOUND = "谁找到了铜灯？"


@asynccontextmanager
async def opened(folder: Path, openai: OpenAI, model: SmallModel, **more: Any) -> AsyncIterator[Agent]:
    openai.play(always(model))
    settings = load_settings(
        data_dir=folder / "data",
        trace_dir=folder / "traces",
        openai_api_key=openai.key,
        openai_base_url=openai.url,
        openai_model=LOOPBACK_MODEL,
        model_profile="small",
        **more,
    )
    story = folder / "story.txt"
    story.write_text(STORY, encoding="utf-8")
    async with open_agent(settings) as agent:
        services = agent.services
        stores = services.stores
        await ingest(
            IngestRequest(path=story, library="harbour"),
            stores=stores,
            embedder=services.embedder,
            tagger=services.reader,
        )
        yield agent


async def asked(agent: Agent, question: str, **context: Any) -> dict[str, Any]:
    return (await agent.ask(question, library="harbour", **context)).record


async def test_the_model_words_what_the_offline_mind_found(tmp_path: Path, openai: OpenAI) -> None:
    """LOP-110: one streamed call without tools, of 1,000 tokens; marks come from code, the grade from the reader."""
    model = SmallModel(habits=("plain",))
    async with opened(tmp_path, openai, model) as agent:
        record = await asked(agent, LAMP)
    [request] = openai.history
    assert request.method == "streamGenerateContent" and not request.tools
    assert request.body["max_tokens"] == 400 and request.body["temperature"] <= 0.2
    assert tokens(model.prompts[0]) < 1_100 and model.prompts[0].count("\n- ") == 2
    assert ("灯塔的地窖" in record["answer"] and record["answer"].endswith("[1]")) or "[1]" in record["answer"]
    assert record["citations"][0]["quote"] in STORY and record["passed"] and record["graded_by"] == "offline"
    assert (record["mind"], record["degraded"], record["notes"]) == ("openai", False, [])


@pytest.mark.parametrize(
    ("habit", "reason"),
    [("call", "code"), ("invents", "unsupported"), ("refuses", "answered"), ("next", "unsupported")],
)
async def test_the_offline_answer_stands_where_the_check_fails(
    tmp_path: Path, openai: OpenAI, habit: Habit, reason: str
) -> None:
    """LOP-110: what is unsupported, no answer at all, or against what was found is replaced, and the record says so."""
    async with opened(tmp_path, openai, SmallModel(habits=(habit,)), use_mock_llm=True) as agent:
        offline = await asked(agent, FOUND)
    async with opened(tmp_path, openai, SmallModel(habits=(habit,))) as agent:
        record = await asked(agent, FOUND)
    assert offline["status"] == "answer" and record["answer"] == offline["answer"]
    [note] = record["notes"]
    assert (note["action"], note["reason"]) == ("replaced", reason) and note["text"]
    assert record["passed"] == offline["passed"] and record["usage"]["calls"] == 1


async def test_an_endless_reply_ends(tmp_path: Path, openai: OpenAI) -> None:
    """LOP-111: max_tokens is always sent; of a reply that goes round only whole sentences count, each once."""
    async with opened(tmp_path, openai, SmallModel(habits=("endless",))) as agent:
        record = await asked(agent, CLOCK)
    assert record["status"] == "answer" and record["answer"].count("旧钟") == 1 and len(openai.history) == 1


@pytest.mark.parametrize(
    "question", ["谁把灯塔烧掉了？", "这本书讲了什么？", "主要人物有哪些？", "第二回讲了什么？", "苏晚照出现了多少次？"]
)
async def test_what_is_refused_listed_or_counted_is_no_question_for_a_small_model(
    tmp_path: Path, openai: OpenAI, question: str
) -> None:
    """LOP-110: books, chapters, lists and counts go the offline way; a refusal of the offline mind stands."""
    async with opened(tmp_path, openai, SmallModel()) as agent:
        record = await asked(agent, question)
    assert record["status"] in ("answer", "not_found") and openai.history == []


async def test_a_silent_model_is_asked_once(tmp_path: Path, openai: OpenAI) -> None:
    """LOP-109: on this machine one try, then the offline answer."""
    async with opened(tmp_path, openai, SmallModel(delay_s=60), model_timeout_s=1.0) as agent:
        record = await asked(agent, LAMP)
    assert "地窖" in record["answer"] and record["degraded"] and len(openai.history) == 1
    assert record["status"] == "answer" and "没有回答" in record["warning"]


async def test_a_slow_model_is_no_silent_one(tmp_path: Path, openai: OpenAI) -> None:
    """LOP-109: the time-out counts from the last token, not from the first."""
    openai.piece = 1
    async with opened(tmp_path, openai, SmallModel(habits=("plain",), gap_s=0.15), model_timeout_s=1.5) as agent:
        started = time.monotonic()
        record = await asked(agent, LAMP)
    assert time.monotonic() - started > 1.5 and not record["degraded"] and record["notes"] == []
    assert record["usage"]["calls"] == 1


async def test_at_the_deadline_the_offline_mind_answers(tmp_path: Path, openai: OpenAI) -> None:
    """LOP-109 S003-D18: a model that never ends costs its time, not the answer."""
    model = SmallModel(habits=("endless",), gap_s=0.5)
    async with opened(tmp_path, openai, model) as agent:
        await asked(agent, CLOCK, deadline_s=60, max_attempts=1)  # what is loaded is loaded
        openai.history.clear()
        model.gap_s = 30.0
        started = time.monotonic()
        record = await asked(agent, LAMP, deadline_s=12)
        seconds = time.monotonic() - started
    assert seconds < 12 + 6 and len(openai.history) == 1
    assert "地窖" in record["answer"] and record["status"] == "answer" and record["degraded"]
    assert "DEADLINE_S" in record["warning"]


async def test_that_the_model_reads_is_shown(tmp_path: Path, openai: OpenAI) -> None:
    """LOP-19: `reading` where the first token takes its time; words that do not stand are withdrawn."""
    async with opened(tmp_path, openai, SmallModel(habits=("invents",), delay_s=3)) as agent:
        events: list[tuple[str, Any]] = [(one.kind, one.data) async for one in agent.stream(FOUND, library="harbour")]
    kinds = [kind for kind, _ in events]
    assert kinds.index("reading") < kinds.index("draft") < kinds.index("reset") < kinds.index("text")
    assert [data.get("reason") for kind, data in events if kind == "reset"] == ["replaced"]


def test_every_habit_is_played() -> None:
    assert set(HABITS) == set(get_args(Habit))


def test_the_deadline_grows_with_the_models_time() -> None:
    """LOP-109: DEADLINE_S is a setting; unset it leaves room for a model that was given more time."""
    assert load_settings().policy().deadline_s == 180
    assert load_settings(model_timeout_s=300).policy().deadline_s == 900
    assert load_settings(model_timeout_s=300, deadline_s=60).policy().deadline_s == 60
    local = load_settings(openai_base_url="http://localhost:8080/v1", openai_model="m")
    assert local.is_local and not local.policy().tries_slow
    assert load_settings(openai_base_url="https://api.example/v1", openai_model="m").policy().tries_slow


def edge(source: str, kind: str, target: str, description: str = "") -> Evidence:
    found = Edge(source=source, type=kind, target=target, description=description)
    return piece(f"{source} {target}", kind="relation", edge=found)


KNOWN = NameTable.build(
    [
        Name(text=name, entity=name, kind="Character", mentions=3)
        for name in ("陆沉舟", "苏晚照", "Anna Reed", "Tom Reed")
    ]
)


@pytest.mark.parametrize(
    ("text", "edges", "is_wrong"),
    [
        ("苏晚照是陆沉舟的师父。", [edge("陆沉舟", "PARTNER_OF", "苏晚照", "师父")], True),
        ("陆沉舟是苏晚照的师父。", [edge("陆沉舟", "PARTNER_OF", "苏晚照", "师父")], False),
        ("苏晚照是陆沉舟的父亲。", [edge("苏晚照", "FAMILY_OF", "陆沉舟", "哥哥")], True),
        ("苏晚照是陆沉舟的父亲。", [edge("苏晚照", "FAMILY_OF", "陆沉舟", "父亲")], False),
        ("苏晚照是陆沉舟的父亲。", [edge("陆沉舟", "FAMILY_OF", "苏晚照", "父亲")], True),
        ("苏晚照遇见了陆沉舟。", [edge("陆沉舟", "PARTNER_OF", "苏晚照", "师父")], False),
        ("苏晚照是陆沉舟的师父。", [], False),
    ],
)
def test_an_edge_of_the_graph_contradicts(text: str, edges: list[Evidence], is_wrong: bool) -> None:
    """LOP-110: a relation that the graph has the other way round is no wording of it."""
    assert is_against(text, edges, KNOWN) is is_wrong


async def test_ingest_asks_a_small_model_for_people_alone(tmp_path: Path, openai: OpenAI) -> None:
    """STO-110: one piece a call, a list with an end, twice the tokens of its text at most; patterns find the rest."""
    people = [{"name": "陆沉舟", "aliases": []}, {"name": "苏晚照", "aliases": ["苏姑娘"]}]
    async with opened(tmp_path, openai, SmallModel()) as agent:
        openai.queues.clear()
        openai.answer(lambda request: as_json({"people": people}))
        services = agent.services
        reading = ReadingOptions(
            answers=services.answers, reader=services.extractor, call_size=services.settings.ingest_call_size
        )
        story = tmp_path / "other.txt"
        story.write_text(STORY.replace("铜灯", "银灯"), encoding="utf-8")
        report = await ingest(
            IngestRequest(path=story, library="other"),
            stores=services.stores,
            embedder=services.embedder,
            tagger=services.reader,
            reading=reading,
        )
    assert report.unread == [] and report.spending.calls == len(openai.history) == 3
    for request in openai.history:
        schema = request.body["response_format"]["json_schema"]["schema"]
        assert list(schema["properties"]) == ["people"] and schema["properties"]["people"]["maxItems"] == 20
        assert request.body["max_tokens"] == 512 and request.body["temperature"] <= 0.2


def test_a_short_chapter_has_room_for_its_summary() -> None:
    """STO-110: an answer on this machine has an end, and before it all the sentences that a request asks for."""
    request = SummaryRequest("chapter", "a", "zh", "题", (blank("passage", "1", "他来了。"),))
    settings = ModelSettings(id=LOOPBACK_MODEL, variable="EXTRACTOR_MODEL", prefix="EXTRACTOR", thinking="low")
    _, most = request_tokens(request)
    assert most <= (bounded(settings, request.message, most).output_tokens or 0) < 2 * most


SLOW = turn(said('{"word": "pong"} 1 2 3 4 5 6 7 8 9 10'))


async def test_doctor_measures_and_proposes(tmp_path: Path, openai: OpenAI) -> None:
    """PLA-122: tokens a second, the context as far as it is listed, and the profile that fits them."""
    openai.piece = 2
    openai.play(always(replace(SLOW, gap_s=0.25)))
    named: dict[str, Any] = {"openai_api_key": openai.key, "openai_base_url": openai.url}
    services = Services(load_settings(data_dir=tmp_path, openai_model=LOOPBACK_MODEL, **named))
    found = await check_model(services)
    await services.close()
    assert len(found) == 2 and "建议设置 MODEL_PROFILE=small" in found[1].text and found[1].ok is None
    small = Services(load_settings(data_dir=tmp_path, openai_model=LOOPBACK_MODEL, model_profile="small", **named))
    again = await check_model(small)
    await small.close()
    assert "建议" not in again[1].text and again[1].ok


async def test_a_question_waits_for_that_of_another_process(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """PLA-25: who only answers a question lets go soon: the next waits and says so; any other holder is an error."""
    (tmp_path / "lib").mkdir()
    program = (
        "import sys, time; sys.argv = ['wenmai', sys.argv[1], '问题']\n"
        "from pathlib import Path\nfrom wenmai.stores.files.folder import LibraryFolders\n"
        f"folders = LibraryFolders(Path({str(tmp_path)!r})); folders.existing('lib')\n"
        "print('held', flush=True); time.sleep(3)\n"
    )
    for command, waits in (("ask", True), ("ingest", False)):
        other = subprocess.Popen([sys.executable, "-c", program, command], stdout=subprocess.PIPE, text=True)
        assert other.stdout is not None and other.stdout.readline() == "held\n"
        folders = LibraryFolders(tmp_path)
        if waits:
            assert folders.existing("lib") == tmp_path / "lib"
            assert "问题" in caplog.text
        else:
            with pytest.raises(StoreLocked):
                folders.existing("lib")
        folders.close()
        other.kill()
        other.wait()
        other.stdout.close()
