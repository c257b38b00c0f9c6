"""Several chapters in one call, on both services: whose findings are whose, names passed on, failures of one piece."""

from pathlib import Path

import pytest

from tests.gemini import fault
from tests.gemini.exchange import Request
from tests.gemini.parts import Json, as_json, text
from tests.gemini.replies import Reply
from tests.gemini.space import Space
from tests.openai_service.dialect import DIALECTS
from tests.openai_service.space import OpenAI
from tests.reading.scripted import ScriptedReader, call_answer, event, pieces_shown, reading, reference, relation
from tests.reading.test_reading import ONE, THREE, TWO, entities, story
from tests.reading.world import LIBRARY, World, on_fakes
from tools.errors import ModelError
from tools.records import Horizon
from wenmai.ingestion.model.pieces import CALL, PASSED_OVER, Answer, Findings, FoundEntity
from wenmai.ingestion.model.prompts import MOST, READER, known_names, names_line
from wenmai.ingestion.model.reading import MOST_DECLINED

EMPTY: Json = {"entities": [], "relations": [], "events": [], "references": []}
LACKING = ("no json_schema", "forced call only", "text only", "schema echoed", "thoughts in the text")
AGAIN = "石敢又看见了孟鸢。"


def of_chapter(number: int, **found: list[Json]) -> Json:
    """Return one chapter's part of an answer."""
    return {"number": number, **{name: found.get(name, []) for name in ("relations", "events", "references")}}


def whole(names: list[Json], *chapters: Json) -> Json:
    """Return the answer to a call."""
    return as_json({"entities": names, "pieces": list(chapters)})


async def relations(world: World, name: str) -> list[tuple[int | None, str]]:
    """Return the relations of a name that the model told, as chapter and evidence."""
    rows = await world.graph.relations(LIBRARY, name, None)
    return sorted((row.chapter or 0, row.evidence) for row in rows if row.description == "同行")


async def test_short_chapters_share_a_call(tmp_path: Path, service: Space) -> None:
    """STO-06 STO-19: each finding goes to the chapter that its quotation proves, never to an earlier one."""
    names = [*entities("石敢", "孟鸢"), {"name": "旧斧头", "kind": "Object", "aliases": []}]
    learned = {**relation("石敢", "孟鸢", "他教孟鸢用刀"), "type": "TEACHER_OF"}
    first = of_chapter(
        1,
        relations=[relation("石敢", "孟鸢", AGAIN), relation("石敢", "孟鸢", "孟鸢还了石敢一把刀。")],
        events=[event(["石敢"], "石敢拿起旧斧头")],
    )
    second = of_chapter(
        2, relations=[relation("石敢", "孟鸢", AGAIN), learned], references=[reference("他教孟鸢", "石敢")]
    )
    third = of_chapter(3, relations=[relation("石敢", "孟鸢", "石敢拿起旧斧头")])
    service.play(whole(names, first, second, third))
    texts = (f"石敢拿起旧斧头。{AGAIN}", f"{AGAIN}他教孟鸢用刀。石敢走了。", "孟鸢还了石敢一把刀。")
    async with on_fakes(tmp_path, service) as world:
        report = await world.ingest(story(*texts), world.by_gemini(call_size=CALL))
        told = [(1, AGAIN), (2, "他教孟鸢用刀"), (2, AGAIN), (3, "孟鸢还了石敢一把刀。")]
        assert await relations(world, "孟鸢") == told
        early = await world.graph.relations(LIBRARY, "孟鸢", Horizon(1, 1))
        assert [row.evidence for row in early if row.description == "同行"] == [AGAIN]
        taught = await world.graph.relations(LIBRARY, "石敢", None, type="TEACHER_OF")
        assert [(row.chapter, row.target) for row in taught] == [(2, "孟鸢")]
        thing = await world.graph.entity(LIBRARY, "旧斧头", None)
        assert thing and thing.kind == "Object"
    assert (report.spending.calls, report.dropped, len(service.generated)) == (1, 1, 1)
    service.assert_clean()


async def test_names_found_so_far_are_told_and_the_prompt_stays(tmp_path: Path, service: Space) -> None:
    """The system prompt and the schema are the same in every call; names come from what stands before alone."""
    model = ScriptedReader()
    service.answer(model)
    async with on_fakes(tmp_path, service) as world:
        await world.ingest(story(ONE, TWO, THREE, TWO + THREE), world.by_gemini(at_a_time=1))
    prompts = [one.prompt for one in service.generated]
    assert {one.system for one in service.generated} == {READER["zh"]}
    assert len({str(one.schema) for one in service.generated}) == 1
    assert [prompt.startswith("已知名字：") for prompt in prompts] == [False, True, True, True]
    assert "贺兰舟" not in prompts[1].partition("\n")[0] and "陆听雪" in prompts[1].partition("\n")[0]
    assert {"贺兰舟", "石敢", "孟鸢"} <= set(prompts[3].partition("\n")[0][len("已知名字：") :].split("；"))
    assert model.texts == [ONE, TWO, THREE, TWO + THREE]
    service.assert_clean()


def found_in(shown: str, *named: tuple[str, ...]) -> tuple[str, Answer]:
    """Return a text with the names and aliases that a model found in it."""
    rows = [FoundEntity(name=name, aliases=aliases) for name, *aliases in named]
    return shown, Answer(found=Findings(entities=rows))


def test_which_names_are_told() -> None:
    """New and frequent ones first, one line a person; no word for anybody, no name that the text does not have."""
    rows = [
        found_in("沈观潮来了。老鹭是沈观潮。", ("沈观潮", "老鹭", "老人"), ("石敢",)),
        found_in("老鹭和贺兰舟在一起，他走了。", ("老鹭",), ("贺兰舟", "他"), ("少女",)),
        found_in("贺兰舟又来了。", ("贺兰舟",)),
    ]
    assert names_line(known_names(rows), "zh") == "已知名字：贺兰舟；沈观潮（老鹭）\n\n"
    assert names_line(known_names(rows[:1]), "zh") == "已知名字：沈观潮（老鹭）\n\n"
    many = [found_in("".join(f"甲乙{n}" for n in range(500)), *((f"甲乙{n}",) for n in range(500)))]
    assert 100 < len(names_line(known_names(many), "zh")) <= MOST + 20


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (fault.finish("SAFETY"), "SAFETY"),
        (text("not json"), "两次都没有给出"),
        (fault.finish("MAX_TOKENS", text('{"entities": [')), "长度上限"),
        (fault.status(400, "Input data may contain inappropriate content."), "inappropriate"),
    ],
)
async def test_one_odd_chapter_costs_itself_alone(
    tmp_path: Path, service: Space, step: Json | Reply, reason: str
) -> None:
    """PLA-05: a call that fails for one chapter is made again in parts; the report names that chapter."""
    odd = "沈观潮大战陆听雪于江上。"

    def play(request: Request) -> Json | Reply:
        return (
            step if odd in str(request.contents) else as_json(call_answer(*map(reading, pieces_shown(request.prompt))))
        )

    service.answer(play)
    texts = [ONE + "雾。", ONE, TWO, odd, THREE]
    async with on_fakes(tmp_path, service) as world:
        report = await world.ingest(story(*texts), world.by_gemini(at_a_time=1, call_size=CALL))
        assert [one.partition("：")[0] for one in report.unread] == ["第4章 题4"] and reason in report.unread[0]
        rows = [row for name in ("陆听雪", "石敢") for row in await world.graph.events(LIBRARY, name, None, None)]
        assert {1, 2, 3, 5} <= {row.chapter for row in rows}
        shown = [piece for one in service.generated for piece in pieces_shown(one.prompt) if odd not in one.prompt]
        assert sorted(shown) == sorted(dict.fromkeys(shown))
        sent = len(service.generated)
        await world.ingest(story(*texts), world.by_gemini(call_size=CALL), title="新题")
        assert len(service.generated) == sent + (1 if reason == "inappropriate" else 0)


async def test_a_service_that_refuses_everything_stops_the_reading(tmp_path: Path, service: Space) -> None:
    """PLA-18: a 400 for one text is that text's; for all texts, or again and again, it is the service's."""
    model = ScriptedReader()
    service.answer(lambda _: fault.status(400, "no such field"))
    async with on_fakes(tmp_path, service) as world:
        with pytest.raises(ModelError, match=r"no such field.*已保存 0 份回答"):
            await world.ingest(story(ONE, TWO), world.by_gemini(call_size=CALL))
        assert len(service.generated) == 3
        service.queues.clear()
        service.play(model)
        service.answer(lambda _: fault.status(400, "no money left"))
        texts = [f"{ONE}这是第{n}回。" for n in range(MOST_DECLINED + 3)]
        with pytest.raises(ModelError, match=r"no money left.*已保存 1 份回答"):
            await world.ingest(story(*texts), world.by_gemini(at_a_time=1))
        assert len(service.generated) == 4 + MOST_DECLINED


async def test_a_chapter_that_was_passed_over_is_asked_for_again(tmp_path: Path, service: Space) -> None:
    """A model that answers about the first chapter alone is shown the others once more, not the first."""
    model = ScriptedReader()
    service.play(whole(entities("陆听雪"), of_chapter(1)))
    service.answer(model)
    async with on_fakes(tmp_path, service) as world:
        report = await world.ingest(story(ONE, TWO, THREE), world.by_gemini(call_size=CALL))
    assert report.unread == [] and report.spending.calls == 2
    assert model.texts == [TWO, THREE]
    service.assert_clean()


async def test_an_answer_may_leave_out_what_has_nothing(tmp_path: Path, service: Space) -> None:
    """STO-30: a chapter before one that is told of is read; those at the end are asked about once more, together."""
    told = of_chapter(2, relations=[])
    service.play(whole(entities("陆听雪"), told), whole(entities("石敢"), of_chapter(1)))
    async with on_fakes(tmp_path, service) as world:
        report = await world.ingest(story(ONE, TWO, THREE, ONE + "雾。"), world.by_gemini(call_size=CALL))
    assert report.unread == [] and report.spending.calls == 2
    assert pieces_shown(service.generated[1].prompt) == [THREE, ONE + "雾。"]


async def test_an_empty_answer_is_asked_for_once_more(tmp_path: Path, service: Space) -> None:
    """STO-30: a model that tells of no chapter twice has read none of them."""
    service.answer(lambda _: whole([]))
    async with on_fakes(tmp_path, service) as world:
        report = await world.ingest(story(ONE, TWO, THREE), world.by_gemini(call_size=CALL))
    assert [PASSED_OVER in one for one in report.unread] == [True] * 3 and report.spending.calls == 2


@pytest.mark.parametrize("name", LACKING)
async def test_servers_that_lack_something_read_too(tmp_path: Path, openai: OpenAI, name: str) -> None:
    """S003-03: whatever way the answer is asked for, the prompt is the same once that way is known."""
    openai.dialect = DIALECTS[name]
    openai.answer(by_any_way)
    texts = [ONE, TWO, THREE, ONE + "雾。", TWO + "雾。", THREE + "雾。"]
    async with on_fakes(tmp_path, openai) as world:
        report = await world.ingest(story(*texts), world.by_gemini(at_a_time=1, call_size=80))
    assert report.unread == [] and report.events >= 4 and report.kept_answers == 0
    answered = [one for one in openai.generated if not one.refusal]
    assert len(answered) >= 3 and answered[-1].system == answered[-2].system


def by_any_way(request: Request) -> Json:
    """Return the answer to a call; where it is to be mended, the texts stand in the turn before."""
    told = [pieces_shown(one["parts"][0].get("text", "")) for one in request.contents]
    return as_json(call_answer(*map(reading, next(filter(None, reversed(told))))))
