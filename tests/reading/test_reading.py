"""Answers kept, failures, blocked pieces: small texts, fakes, the real client."""

from dataclasses import replace
from pathlib import Path

import pytest
from langchain_core.rate_limiters import InMemoryRateLimiter

from tests.gemini import fault
from tests.gemini.exchange import Request
from tests.gemini.parts import Json, as_json, text
from tests.gemini.replies import Reply, turn, usage
from tests.gemini.space import Gemini
from tests.reading.scripted import (
    IN,
    INVENTED,
    OUT,
    ScriptedReader,
    call_answer,
    event,
    pieces_shown,
    reading,
    reference,
    relation,
)
from tests.reading.world import LIBRARY, World, on_fakes, settings
from tools.errors import ModelError
from tools.messages import template
from tools.records import PassageFilter
from wenmai.ingestion.chapters.records import SourceChapter
from wenmai.ingestion.contracts import Spending
from wenmai.ingestion.model.budget import Budget, Purse
from wenmai.ingestion.model.pieces import NOT_ASKED, PIECE, Piece, halves, pieces_of
from wenmai.ingestion.model.prompts import READER
from wenmai.ingestion.model.reading import FIRST_UNUSABLE
from wenmai.ingestion.model.tokens import call_tokens
from wenmai.ingestion.sources.imports import EVENT_TYPES

ONE = "陆听雪和沈观潮在码头上见了第一面。她把手里的旧罗盘递了过去。沈观潮没有接。"
TWO = "贺兰舟在会馆里等了陆听雪一夜。沈观潮与贺兰舟隔着雾对望了很久。"
THREE = "石敢把斧头交给了孟鸢，转身跳进了海里。"
RETRIED = {
    "status(503)": fault.status(503),
    "quota": fault.quota(0.01),
    "closed": fault.closed(),
    "cut": fault.cut(text("{}")),
}


def story(*texts: str) -> str:
    return "\n".join(f"第{n}章 题{n}\n\n{body}\n" for n, body in enumerate(texts, 1))


def entities(*names: str) -> list[Json]:
    return [{"name": name, "kind": "Character", "aliases": []} for name in names]


def answer(**found: list[Json]) -> Json:
    return as_json(call_answer({"entities": [], "relations": [], "events": [], "references": [], **found}))


async def known(world: World) -> set[str]:
    return {name.entity for name in await world.graph.names(LIBRARY, None)}


async def test_a_changed_chapter_sends_only_itself(tmp_path: Path, gemini: Gemini) -> None:
    """S000-41: kept by content, so that an inserted chapter does not shift the others; gone texts leave the store."""
    model = ScriptedReader()
    gemini.answer(model)
    async with on_fakes(tmp_path, gemini) as world:
        await world.ingest(story(ONE, TWO), world.by_gemini())
        report = await world.ingest(story(ONE, TWO + THREE), world.by_gemini())
        assert (report.spending.calls, report.kept_answers) == (1, 1)
        assert [THREE in shown for shown in model.texts] == [False, False, True]
        assert await world.answers.count(LIBRARY) == 2
        assert "石敢" in await known(world)


async def test_the_prompt_and_the_model_are_part_of_the_key(
    tmp_path: Path, gemini: Gemini, monkeypatch: pytest.MonkeyPatch
) -> None:
    gemini.answer(ScriptedReader())
    async with on_fakes(tmp_path, gemini) as world:
        await world.ingest(story(ONE, TWO), world.by_gemini())
        before = world.extractor.mark
        monkeypatch.setattr("wenmai.ingestion.model.prompts.UNTITLED", {"zh": "无", "en": "none"})
        assert world.extractor.mark != before
        report = await world.ingest(story(ONE, TWO), world.by_gemini())
        assert (report.spending.calls, report.kept_answers) == (2, 0)


@pytest.mark.parametrize("kind", RETRIED)
async def test_transient_failures_are_retried(tmp_path: Path, gemini: Gemini, kind: str) -> None:
    """PLA-18: one place retries; the client itself asks once."""
    model = ScriptedReader()
    gemini.play(RETRIED[kind], RETRIED[kind])
    gemini.answer(model)
    async with on_fakes(tmp_path, gemini) as world:
        report = await world.ingest(story(ONE), world.by_gemini())
    assert report.spending.calls == 1 and len(gemini.generated) == 3
    assert report.events == 1


@pytest.mark.parametrize(
    ("step", "requests", "words"),
    [
        (fault.status(503), 3, "503"),
        (fault.bad_key(), 1, "GOOGLE_API_KEY"),
        (fault.unknown_model("gemini-x"), 1, "EXTRACTOR_MODEL"),
    ],
)
async def test_what_cannot_be_cured_stops_and_a_second_run_goes_on(
    tmp_path: Path, gemini: Gemini, step: Json | Reply, requests: int, words: str
) -> None:
    """PLA-05 PLA-18: one line says what to do, what was answered is kept, no chapter is half written."""
    model = ScriptedReader()
    gemini.play(model)
    gemini.answer(lambda _: step)
    async with on_fakes(tmp_path, gemini) as world:
        with pytest.raises(ModelError, match=words) as caught:
            await world.ingest(story(ONE, TWO, THREE), world.by_gemini(at_a_time=1))
        assert "\n" not in str(caught.value) and "已保存 1 份回答（共 3 份）" in str(caught.value)
        assert len(gemini.generated) == 1 + requests
        assert await world.catalog.chapters(LIBRARY) == []
        gemini.queues.clear()
        gemini.answer(model)
        report = await world.ingest(story(ONE, TWO, THREE), world.by_gemini(at_a_time=1))
        assert (report.spending.calls, report.kept_answers) == (2, 1)


@pytest.mark.parametrize(
    ("step", "calls", "reason"),
    [
        (fault.finish("SAFETY"), 1, "SAFETY"),
        (fault.finish("RECITATION", text("{")), 1, "RECITATION"),
        (fault.blocked("OTHER"), 1, "OTHER"),
        (turn(text("not json"), tokens=usage(IN, OUT)), 2, template("ingest.no_usable_answer_twice", "zh")),
        (fault.silent(), 2, template("ingest.no_usable_answer_twice", "zh")),
        (fault.malformed_call(), 2, template("ingest.no_usable_answer_twice", "zh")),
        (fault.finish("MAX_TOKENS", text('{"entities": [')), 1, "长度上限"),
    ],
)
async def test_an_unread_chapter_falls_back_to_patterns(
    tmp_path: Path, gemini: Gemini, step: Reply, calls: int, reason: str
) -> None:
    """STO-06 PLA-05: a chapter that was refused, or twice answered unusably, is named in the report with the reason.

    It must not cost the whole novel: the others are read, and a rerun does not ask for it again.
    """
    told = "沈观潮嫁给了陆听雪。沈观潮大战陆听雪于江上。"

    def play(request: Request) -> Json | Reply:
        return step if "大战" in request.prompt else as_json(call_answer(*map(reading, pieces_shown(request.prompt))))

    gemini.answer(play)
    async with on_fakes(tmp_path, gemini) as world:
        report = await world.ingest(story(ONE, told), world.by_gemini(at_a_time=1))
        assert len(report.unread) == 1 and report.unread[0].startswith("第2章 题2")
        assert reason in report.unread[0] and report.spending.calls == 1 + calls
        paid = sum(one.sent.get("usageMetadata", {}).get("promptTokenCount", 0) for one in gemini.generated)
        assert report.spending.input_tokens == paid > 0
        events = await world.graph.events(LIBRARY, "沈观潮", None, None)
        relations = await world.graph.relations(LIBRARY, "沈观潮", None)
        assert {event.chapter for event in events} == {1, 2}
        assert "夫妻" in {row.description for row in relations if row.chapter == 2}
        again = await world.ingest(story(ONE + THREE, told), world.by_gemini())
        assert again.spending.calls == 1 and again.unread == report.unread
        sent = len(gemini.generated)
        world.extractor = replace(world.extractor, settings=replace(settings(), temperature=0.5))
        other = await world.ingest(story(ONE + THREE, told), world.by_gemini())
        assert other.spending.calls == 1 + calls and len(gemini.generated) == sent + 1 + calls


async def test_a_model_that_answers_nothing_is_given_up(tmp_path: Path, gemini: Gemini) -> None:
    """S000-41 PLA-05: after the first pieces in a row one line says model, reason and way out; nothing of it is kept.

    An answer that was kept, or a usable one before, shows that the model can: then every piece is asked about.
    """
    book = [f"{ONE}这是第{n}回。" for n in range(FIRST_UNUSABLE + 2)]
    broken = turn(text("not json"), tokens=usage(IN, OUT))
    async with on_fakes(tmp_path, gemini) as world:
        gemini.answer(lambda request: broken)
        with pytest.raises(ModelError, match=r"EXTRACTOR_MODEL.*不合格式.*--mind offline.*已保存 0 份回答") as caught:
            await world.ingest(story(*book), world.by_gemini(at_a_time=1))
        assert "\n" not in str(caught.value) and len(gemini.generated) == 2 * FIRST_UNUSABLE
        gemini.queues.clear()
        gemini.answer(ScriptedReader())
        report = await world.ingest(story(*book), world.by_gemini(at_a_time=1))
        assert (report.spending.calls, report.kept_answers, report.unread) == (len(book), 0, [])
        gemini.queues.clear()
        gemini.answer(lambda request: broken)
        changed = [f"{one}雾散了。" for one in book[1:]]
        report = await world.ingest(story(book[0], *changed), world.by_gemini())
        assert len(report.unread) == len(changed) and report.spending.calls == 2 * len(changed)


async def test_an_answer_that_is_too_long_is_asked_for_in_halves(tmp_path: Path, gemini: Gemini) -> None:
    """The halves' findings stand where they belong, and are kept under the whole piece."""
    body = "\n\n".join([ONE, *["海上起了雾。" * 40] * 4, TWO])
    model = ScriptedReader()
    gemini.play(fault.finish("MAX_TOKENS", text('{"entities": [')))
    gemini.answer(model)
    async with on_fakes(tmp_path, gemini) as world:
        report = await world.ingest(story(body), world.by_gemini())
        assert report.spending.calls == 3 and len(model.texts) == 2
        chapter = (await world.catalog.chapters(LIBRARY))[0]
        events = await world.graph.events(LIBRARY, "沈观潮", None, None)
        assert len(events) == 2
        assert all(chapter.text.startswith(row.evidence, row.start or 0) for row in events)
        sent = len(gemini.generated)
        await world.ingest(story(body), world.by_gemini(), title="新题")
        assert len(gemini.generated) == sent


async def test_the_halves_of_an_answer_have_the_whole_budget_that_is_left(tmp_path: Path, gemini: Gemini) -> None:
    """STO-99: a call that has failed reserves nothing while its halves are asked for."""
    body = "\n\n".join([ONE, *["海上起了雾。" * 40] * 4, TWO])
    gemini.play(fault.finish("MAX_TOKENS", text('{"entities": [')))
    gemini.answer(ScriptedReader())
    async with on_fakes(tmp_path, gemini) as world:
        whole = Piece(task_id="书", chapter=1, title="题1", text=body, start=0, language="zh")
        purse = Purse(spending=Spending(), budget=Budget(tokens=sum(call_tokens([whole])) + 3 * IN))
        report = await world.ingest(story(body), world.by_gemini(), purse=purse)
    assert report.unread == [] and report.spending.calls == 3


async def test_pronouns_become_tags_and_the_text_stays(tmp_path: Path, gemini: Gemini) -> None:
    """STO-19: a pronoun counts for whom the chapter names; unquotable, ambiguous and unnamed ones are dropped."""
    said = "她站起来，看了很久。\n\n他说：“走吧。”\n\n她转身下楼，头也没回。"
    gemini.play(
        answer(entities=entities("陆听雪", "沈观潮")),
        answer(
            entities=entities("沈观潮"),
            references=[
                reference("他说：“走吧。”", "沈观潮"),
                reference("她站起来，看了很久", "陆听雪"),
                reference("她不在原文里", "沈观潮"),
            ],
        ),
    )
    async with on_fakes(tmp_path, gemini) as world:
        report = await world.ingest(story(ONE, said + "沈观潮在等。"), world.by_gemini(at_a_time=1))
        last = (await world.rows())[-1]
    assert last.text == said + "沈观潮在等。"
    assert last.entities == ("沈观潮",) and last.characters == ("沈观潮",)
    assert report.dropped == 2


async def test_what_the_text_does_not_bear_out_is_dropped_and_counted(tmp_path: Path, gemini: Gemini) -> None:
    """STO-06: invented evidence, unknown people, unknown types, names that do not stand in the text."""
    lies = [relation("陆听雪", "沈观潮", INVENTED), relation("陆听雪", "唐僧", "陆听雪和沈观潮在码头上见了第一面")]
    odd = {**relation("陆听雪", "沈观潮", "陆听雪和沈观潮在码头上见了第一面"), "type": "LOVES"}
    gemini.play(
        answer(
            entities=[*entities("陆听雪", "沈观潮", "孙悟空"), {"name": "旧罗盘", "kind": "Thing", "aliases": ["她"]}],
            relations=[*lies, odd, relation("陆听雪", "沈观潮", "沈观潮没有接。")],
            events=[
                event(["陆听雪"], INVENTED),
                event(["唐僧"], "沈观潮没有接"),
                event(["陆听雪", "唐僧"], "沈观潮没有接"),
            ],
        )
    )
    async with on_fakes(tmp_path, gemini) as world:
        report = await world.ingest(story(ONE), world.by_gemini())
        events = await world.graph.events(LIBRARY, "陆听雪", None, None)
        relations = await world.graph.relations(LIBRARY, "陆听雪", None)
        entity = await world.graph.entity(LIBRARY, "旧罗盘", None)
    assert report.dropped == 3 + 2 + 1
    assert [row.evidence for row in relations] == ["沈观潮没有接。"]
    assert [(row.primary_character, len(row.participants), row.event_type) for row in events] == [
        ("陆听雪", 1, "encounter")
    ]
    assert entity and (entity.kind, entity.aliases) == ("Character", ())
    assert not {"孙悟空", "唐僧"} & await known_names(world)


async def known_names(world: World) -> set[str]:
    return {name.text for name in await world.graph.names(LIBRARY, None)}


async def test_without_a_mind_kept_answers_count_and_nothing_is_sent(tmp_path: Path, gemini: Gemini) -> None:
    """A run without --mind spends nothing and undoes nothing; --mind offline goes back to patterns."""
    gemini.answer(ScriptedReader())
    async with on_fakes(tmp_path, gemini) as world:
        await world.ingest(story(ONE, TWO), world.by_gemini())
        sent, events = len(gemini.generated), await world.graph.events(LIBRARY, "沈观潮", None, None)
        same = await world.ingest(story(ONE, TWO), world.as_kept())
        assert same.written == 0
        report = await world.ingest(story(ONE, TWO, THREE), world.as_kept())
        assert len(gemini.generated) == sent and report.unread == [f"第3章 题3：{NOT_ASKED}"]
        assert await world.graph.events(LIBRARY, "沈观潮", None, None) == events
        full = await world.ingest(story(ONE, TWO, THREE), world.by_gemini())
        assert full.spending.calls == 1 and not full.unread
        plain = await world.ingest(story(ONE, TWO, THREE), None)
        assert plain.merges == 0 and await world.graph.events(LIBRARY, "沈观潮", None, None) != events


async def test_deleting_a_source_deletes_its_answers(tmp_path: Path, gemini: Gemini) -> None:
    """PLA-23: the receipt says how many; the other source keeps its own."""
    gemini.answer(ScriptedReader())
    async with on_fakes(tmp_path, gemini) as world:
        await world.ingest(story(ONE, TWO), world.by_gemini())
        await world.ingest(story(THREE), world.by_gemini(), name="续.txt")
        receipt = await world.delete("书")
        assert (receipt.answers, receipt.passages, await world.answers.count(LIBRARY)) == (2, 2, 1)
        assert await known(world) == {"石敢", "孟鸢"}
        assert await world.passages.count(LIBRARY, PassageFilter()) == 1


def chapter(body: str) -> SourceChapter:
    return SourceChapter(task_id="t", task_name="t", number=1, title="甲", text=body, order=0, source_file="t.txt")


@pytest.mark.parametrize("body", ["", "短。", "一段。\n" * 3_000, "无" * 20_000, "a\n\n\n" * 4_000 + "尾"])
def test_pieces_join_to_the_chapter(body: str) -> None:
    pieces = pieces_of([chapter(body)], "zh")
    assert "".join(piece.text for piece in pieces).strip() == body.strip()
    assert all(body.startswith(piece.text, piece.start) and len(piece.text) <= 2 * PIECE for piece in pieces)
    cut = [halves(piece) for piece in pieces]
    assert all(two is None or two[0].text + two[1].text == piece.text for two, piece in zip(cut, pieces, strict=True))
    assert all(two is None or joins(piece, *two) for two, piece in zip(cut, pieces, strict=True))


def joins(whole: Piece, first: Piece, second: Piece) -> bool:
    return whole.start == first.start and first.end == second.start and second.end == whole.end


async def test_english_is_read_in_english(tmp_path: Path, gemini: Gemini) -> None:
    """STO-06: the prompt is in the text's language; lengths of what the model writes are bounded."""
    body = "Mara Quill met Ned Harrow on the quay. She gave him the brass compass."
    told = event(["Mara Quill", "Ned Harrow"], "Mara Quill met Ned Harrow on the quay.")
    named = entities("Mara Quill", "Ned Harrow")
    meant = [reference("She gave him the brass compass", "Mara Quill") | {"word": "She"}]
    gemini.play(answer(entities=named, events=[told | {"summary": "x" * 900, "name": "y" * 900}], references=meant))
    async with on_fakes(tmp_path, gemini) as world:
        report = await world.ingest(f"Chapter 1 The Quay\n\n{body}\n", world.by_gemini())
        found = await world.graph.events(LIBRARY, "Mara Quill", None, None)
    assert gemini.generated[0].system == READER["en"] and report.dropped == 0
    assert (len(found[0].summary), len(found[0].name)) == (200, 60)


async def test_what_is_sent(tmp_path: Path, gemini: Gemini) -> None:
    """STO-06: the declared schema has the eight kinds, three roles; the text stands behind its title, unaltered."""
    gemini.answer(ScriptedReader())
    async with on_fakes(tmp_path, gemini) as world:
        await world.ingest(story(ONE), world.by_gemini())
    request = gemini.generated[0]
    assert request.system == READER["zh"] and request.prompt == f"## 1 第1章 题1\n\n{ONE}"
    assert request.config["responseMimeType"] == "application/json" and not request.tools
    assert request.schema is not None
    kinds = request.schema["$defs"]["FoundEvent"]["properties"]["event_type"]["enum"]
    assert set(kinds) == set(EVENT_TYPES) and len(kinds) == 8
    gemini.assert_clean()


async def test_calls_keep_to_a_rate(tmp_path: Path, gemini: Gemini) -> None:
    """INGEST_RPM spaces the calls, also those that run at once."""
    gemini.answer(ScriptedReader())
    async with on_fakes(tmp_path, gemini) as world:
        limiter = InMemoryRateLimiter(requests_per_second=10, check_every_n_seconds=0.01)
        await world.ingest(story(ONE + "天亮了。"), world.by_gemini())  # the first call of a process opens the client
        seen = len(gemini.generated)
        world.extractor = replace(world.extractor, limiter=limiter)
        await world.ingest(story(ONE, TWO, THREE), world.by_gemini(at_a_time=3))
    times = sorted(one.at for one in gemini.generated[seen:])
    assert times[-1] - times[0] > 0.15


async def test_a_turn_of_two_texts_is_one_answer(tmp_path: Path, gemini: Gemini) -> None:
    """A stream of parts is joined before it is read."""
    whole = as_json(call_answer(reading(ONE)))["text"]
    gemini.play(turn(text(whole[:40]), text(whole[40:])))
    async with on_fakes(tmp_path, gemini) as world:
        report = await world.ingest(story(ONE), world.by_gemini())
    assert report.events == 1
