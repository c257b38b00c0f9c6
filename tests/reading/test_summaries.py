"""Summaries and descriptions by a model: what they stand on, what a reader sees, what a second run costs (STO-97)."""

import asyncio
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from tests.gemini.exchange import Request
from tests.gemini.parts import as_json
from tests.gemini.replies import Reply, turn
from tests.gemini.space import Gemini
from tests.reading.scripted import IN, LIE, OUT, STORY, ScriptedReader
from tests.reading.world import LIBRARY, World, on_fakes
from tools.errors import InputError
from tools.messages import say
from tools.records import Horizon, Summary, SummaryFilter
from wenmai.ingestion.contracts import IngestReport, Spending
from wenmai.ingestion.model.budget import Budget, Purse

ALIASES = STORY.parent / "aliases.json"
AT_A_TIME = 4


async def summarised(world: World, source: str | Path = STORY, **more: object) -> IngestReport:
    """Read the sample by patterns, and have its summaries written."""
    return await world.ingest(source, None, summaries=world.summaries(), aliases=ALIASES, **more)  # type: ignore[arg-type]


async def rows(world: World, *kinds: str, horizon: Horizon | None = None, subject: str = "") -> list[Summary]:
    where = SummaryFilter(kinds=kinds, subjects=(subject,) if subject else (), horizon=horizon)  # type: ignore[arg-type]
    return await world.catalog.summaries(LIBRARY, where)


async def test_a_tree_over_the_chapters(tmp_path: Path, gemini: Gemini) -> None:
    """STO-97: every chapter, part and book has a summary; each sentence names passages of what it covers."""
    gemini.answer(ScriptedReader())
    async with on_fakes(tmp_path, gemini) as world:
        report = await summarised(world)
        passages = {one.id: one for one in await world.rows()}
        outline = await world.catalog.outline(LIBRARY)
        every = await rows(world)
        assert [one.chapter for one in await rows(world, "chapter")] == [one.number for one in outline]
        assert [one.part for one in await rows(world, "part")] == [1, 2]
        [book] = await rows(world, "book")
        assert book.first == (1, 1) and (book.part, book.chapter) == (2, outline[-1].number)
    assert report.summaries == len(every) and report.summaries_left == 0 and report.unsummarised == []
    for one in every:
        assert one.sentences and len({row.text for row in one.sentences}) == len(one.sentences)
        for row in one.sentences:
            assert row.evidence
            for id in row.evidence:
                assert one.first <= (passages[id].part, passages[id].chapter) <= (one.part, one.chapter)


async def test_what_the_text_does_not_say_is_dropped(tmp_path: Path, gemini: Gemini) -> None:
    """STO-98: sentences pass the check of answers, or go."""
    gemini.answer(ScriptedReader())
    async with on_fakes(tmp_path, gemini) as world:
        report = await summarised(world)
        told = [row.text for one in await rows(world) for row in one.sentences]
    assert told and not any(LIE["text"] in one for one in told)
    assert report.dropped_sentences >= len([one for one in gemini.generated if "为每个人" not in one.prompt])


async def test_a_description_as_of_each_chapter(tmp_path: Path, gemini: Gemini) -> None:
    """STO-97: a description grows with the chapters; under a guard it is the one as of there."""
    gemini.answer(ScriptedReader())
    async with on_fakes(tmp_path, gemini) as world:
        await summarised(world)
        passages = {one.id: one for one in await world.rows()}
        every = await rows(world, "person", subject="沈观潮")
        assert len(every) > 2 and [(one.part, one.chapter) for one in every] == sorted(
            (one.part, one.chapter or 0) for one in every
        )
        third = every[2]
        horizon = Horizon(third.part, third.chapter or 0)
        seen = await rows(world, "person", horizon=horizon)
        assert [one for one in seen if one.subject == "沈观潮"] == every[:3]
        for one in await rows(world, horizon=horizon):
            for row in one.sentences:
                assert all(horizon.shows(passages[id].part, passages[id].chapter) for id in row.evidence)
    # What was said before is kept in what is said later.
    assert {row.text for row in every[0].sentences} & {row.text for row in every[1].sentences}


async def test_nobody_is_named_before_the_reader_knows_him(tmp_path: Path, gemini: Gemini) -> None:
    """STO-98: a model that knows the book does not tell, in an early chapter, whom a later one names."""
    first = "第一章 来客\n蒙面人走进了客栈，坐在窗边喝酒。掌柜刘福问他从哪里来，他没有回答。"
    second = "第二章 揭晓\n秦三郎摘下面具，掌柜刘福认出了他。秦三郎就是那天的蒙面人。秦三郎笑了笑，秦三郎走了。"
    told = {"text": "蒙面人秦三郎走进了客栈，坐在窗边喝酒。", "marks": [1]}
    plain = {"text": "蒙面人走进了客栈，坐在窗边喝酒。", "marks": [1]}
    gemini.answer(lambda request: turn(as_json({"sentences": [told, plain], "people": []})))
    aliases = tmp_path / "names.json"
    aliases.write_text('{"mention": {"秦三郎": [], "刘福": []}}', encoding="utf-8")
    async with on_fakes(tmp_path, gemini) as world:
        await world.ingest(f"{first}\n\n{second}\n", None, summaries=world.summaries(), aliases=aliases)
        [one] = await rows(world, "chapter", horizon=Horizon(1, 1))
    assert [row.text for row in one.sentences] == [plain["text"]]


async def test_a_second_run_asks_nothing(tmp_path: Path, gemini: Gemini) -> None:
    """STO-99: what was answered is neither asked nor checked again, without a model neither."""
    gemini.answer(ScriptedReader())
    async with on_fakes(tmp_path, gemini) as world:
        await summarised(world)
        before, asked = await rows(world), len(gemini.generated)
        again = await summarised(world)
        kept = await world.ingest(STORY, None, summaries=world.summaries(writes=False), aliases=ALIASES)
        assert len(gemini.generated) == asked and await rows(world) == before
    assert (again.spending.calls, again.kept_summaries) == (0, asked) == (kept.spending.calls, kept.kept_summaries)


async def test_an_edit_pays_for_what_changed(tmp_path: Path, gemini: Gemini) -> None:
    """STO-99: a chapter that is changed is asked about alone, and what stands on it; other chapters are not."""
    script = ScriptedReader()
    gemini.answer(script)
    text = STORY.read_text("utf-8")
    async with on_fakes(tmp_path, gemini) as world:
        await summarised(world, text)
        whole, old = len(script.requests), await rows(world, "chapter")
        script.requests.clear()
        head, title, rest = text.partition("第五章")
        line, _, body = rest.partition("\n")
        await summarised(world, f"{head}{title}{line}\n沈观潮在码头上数了三遍缆绳，才放心地回了家。\n{body}")
        new = await rows(world, "chapter")
    about = [one for one in script.requests if "概括「第" in one and "各部分" not in one]
    assert len(about) == 1 and "数了三遍缆绳" in about[0]
    assert len(script.requests) <= 6 < whole / 2
    assert sum(one != other for one, other in zip(old, new, strict=True)) == 1


async def test_a_budget_stops_and_the_next_run_goes_on(tmp_path: Path, gemini: Gemini) -> None:
    """STO-99: no call begins beyond the budget; what was written stays, and the next run asks for the rest alone."""
    gemini.answer(ScriptedReader())
    async with on_fakes(tmp_path, gemini) as world:
        purse = Purse(spending=Spending(), budget=Budget(tokens=5 * (IN + OUT) + 3_000))
        # One call at a time: how many fit beside others under way depends on when those come back.
        one_by_one = replace(world.summaries(), at_a_time=1)
        first = await world.ingest(STORY, None, summaries=one_by_one, aliases=ALIASES, purse=purse)
        assert first.spending.tokens <= 5 * (IN + OUT) + 3_000 and first.summaries_left > 0
        some = await rows(world)
        assert 0 < len(some) < 40 and {one.kind for one in some} >= {"chapter", "person"}
        second = await summarised(world)
        assert second.summaries_left == 0 and second.spending.calls + first.spending.calls == len(gemini.generated)
        asked = [one.prompt for one in gemini.generated]
        assert len(set(asked)) == len(asked)


async def test_calls_under_way_are_not_lost(tmp_path: Path, gemini: Gemini, caplog: pytest.LogCaptureFixture) -> None:
    """STO-99: an ingest that is cancelled keeps the answers of the calls that it has begun."""
    script, is_free = ScriptedReader(), threading.Event()

    async def answered(request: Request) -> Reply:
        reply = script(request)
        waits = len(script.requests) > AT_A_TIME
        while waits and not is_free.is_set():
            await asyncio.sleep(0.01)
        return reply

    gemini.answer(answered)
    async with on_fakes(tmp_path, gemini) as world:
        summaries = replace(world.summaries(), at_a_time=AT_A_TIME)
        task = asyncio.create_task(world.ingest(STORY, None, summaries=summaries, aliases=ALIASES))
        while len(gemini.generated) < 2 * AT_A_TIME:
            await asyncio.sleep(0.01)
        task.cancel()
        while say("ingest.finishing_calls") not in caplog.text:
            await asyncio.sleep(0.01)
        is_free.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        begun = len(gemini.generated)
        assert begun == 2 * AT_A_TIME
        gemini.queues.clear()
        gemini.answer(script)
        report = await summarised(world)
        assert report.kept_summaries == begun
        asked = [one.prompt for one in gemini.generated]
        assert len(set(asked)) == len(asked)


async def test_they_go_with_their_text(tmp_path: Path, gemini: Gemini) -> None:
    """STO-97: with a text go its summaries, and what stands on them; with the library all."""
    gemini.answer(ScriptedReader())
    async with on_fakes(tmp_path, gemini) as world:
        await summarised(world)
        tasks = list(dict.fromkeys(one.task_id for one in await rows(world, "chapter")))
        await world.delete(tasks[1])
        left = await rows(world)
        assert {one.task_id for one in left} == {tasks[0]} and {one.kind for one in left} == {
            "chapter",
            "part",
            "person",
        }
        await world.delete(tasks[0])
        assert await rows(world) == [] and await world.answers.count(LIBRARY) == 0


@pytest.mark.parametrize(
    ("text", "usd", "tokens"),
    [
        ("2.50", 2.5, None),
        ("$3", 3.0, None),
        ("0.5usd", 0.5, None),
        ("300k", None, 300_000),
        ("2m", None, 2_000_000),
        ("500000 tokens", None, 500_000),
        ("1.5, 20k", 1.5, 20_000),
    ],
)
def test_what_a_budget_may_be(text: str, usd: float | None, tokens: int | None) -> None:
    assert Budget.parse(text) == Budget(usd, tokens)


@pytest.mark.parametrize("text", ["", "much", "-1", "$3k", "3 euros"])
def test_what_is_no_budget(text: str) -> None:
    with pytest.raises(InputError, match="300k"):
        Budget.parse(text)
