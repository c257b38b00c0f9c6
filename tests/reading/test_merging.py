"""Merges: proposed by a model, decided by a person, undone exactly, kept by later ingests."""

import random
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from tests.gemini.parts import Json
from tests.gemini.space import Gemini
from tests.reading.scripted import STORY, ScriptedReader, relation
from tests.reading.test_reading import ONE, THREE, TWO, answer, entities, story
from tests.reading.world import LIBRARY, World, embedded, on_fakes
from tools.errors import InputError
from tools.records import PassageFilter
from wenmai.ingestion.library.changes import merge_entities, rename_entity, split_entity
from wenmai.ingestion.library.decisions import Decision, Decisions, load_decisions, save_decisions
from wenmai.language.lexicon import proper_names

Opened = Callable[[Path, Gemini], AbstractAsyncContextManager[World]]


@pytest.mark.parametrize("opened", [on_fakes, embedded])
async def test_merge_and_split_are_a_round_trip(tmp_path: Path, gemini: Gemini, opened: Opened) -> None:
    """Tags, relations, events and aliases move, and come back exactly."""
    gemini.answer(ScriptedReader())
    async with opened(tmp_path, gemini) as world:
        await world.ingest(story(ONE, TWO), world.by_gemini())
        before = await world.state()
        outcome = await merge_entities(world.stores, LIBRARY, "沈观潮", "贺兰舟")
        after = await world.state()
        assert outcome.change.passages == 2 and outcome.change.relations == 2 and outcome.change.events == 2
        assert outcome.after == ("沈观潮",) and outcome.before == ()
        assert {tag for row in await world.rows() for tag in row.entities} == {"陆听雪", "贺兰舟"}
        assert await world.graph.entity(LIBRARY, "沈观潮", None) is None
        relations = await world.graph.relations(LIBRARY, "贺兰舟", None)
        assert relations and not [row for row in relations if row.source == row.target]
        undone = await split_entity(world.stores, LIBRARY, "沈观潮")
        assert await world.state() == before != after
        assert undone.after == () and undone.change == outcome.change
        assert (await load_decisions(world.catalog, LIBRARY)).rows == ()


async def test_a_model_s_merge_is_split_and_stays_split(tmp_path: Path, gemini: Gemini) -> None:
    """A person's word outlives an ingest; merging again takes it back."""
    gemini.answer(ScriptedReader())
    async with embedded(tmp_path, gemini) as world:
        await world.ingest(STORY, world.by_gemini())
        sent, before = len(gemini.generated), await world.state()
        assert "老鹭" not in tags_of(before)
        outcome = await split_entity(world.stores, LIBRARY, "老鹭")
        assert outcome.into == "沈观潮" and outcome.change.passages > 0
        split = await world.state()
        assert "老鹭" in tags_of(split)
        report = await world.ingest(STORY, world.by_gemini(), title="重来")
        assert len(gemini.generated) == sent and report.merges > 0
        assert tags_of(await world.state()) == tags_of(split)
        await merge_entities(world.stores, LIBRARY, "老鹭", "沈观潮")
        await world.ingest(STORY, world.by_gemini(), title=STORY.stem)
        assert await world.state() == before


@pytest.mark.parametrize("opened", [on_fakes, embedded])
async def test_a_new_name_outlives_an_ingest_and_is_undone(tmp_path: Path, gemini: Gemini, opened: Opened) -> None:
    """Everything of the entity moves to the new name and stays there, and a split brings it back."""
    gemini.answer(ScriptedReader())
    async with opened(tmp_path, gemini) as world:
        await world.ingest(story(ONE, TWO), world.by_gemini())
        before = await world.state()
        outcome = await rename_entity(world.stores, LIBRARY, "沈观潮", "沈大人")
        renamed = await world.state()
        assert outcome.change.passages == 2 and "沈观潮" in outcome.after
        assert "沈大人" in tags_of(renamed) and "沈观潮" not in tags_of(renamed)
        await world.ingest(story(ONE, TWO), world.by_gemini())
        assert await world.state() == renamed
        with pytest.raises(InputError, match="已有实体"):
            await rename_entity(world.stores, LIBRARY, "沈大人", "贺兰舟")
        with pytest.raises(InputError, match="已并入"):
            await rename_entity(world.stores, LIBRARY, "沈大人", "沈观潮")
        await split_entity(world.stores, LIBRARY, "沈观潮")
        assert await world.state() == before


def tags_of(state: dict[str, object]) -> set[str]:
    rows = state["passages"]
    assert isinstance(rows, list)
    return {tag for row in rows for tag in row.entities}


async def test_merges_of_two_chapters_are_one_entity(tmp_path: Path, gemini: Gemini) -> None:
    """A name that one chapter calls an alias and another a name is merged, and its records with it."""
    alias = {"name": "陆听雪", "kind": "Character", "aliases": ["小雪"]}
    own = relation("小雪", "沈观潮", "小雪认得沈观潮")
    gemini.play(
        answer(entities=[alias, *entities("沈观潮")]), answer(entities=entities("小雪", "沈观潮"), relations=[own])
    )
    async with on_fakes(tmp_path, gemini) as world:
        source = story("陆听雪来了，小雪又走了。沈观潮看着。", "小雪认得沈观潮。")
        report = await world.ingest(source, world.by_gemini(at_a_time=1))
        assert report.merges == 1
        entity = await world.graph.entity(LIBRARY, "陆听雪", None)
        assert entity and entity.aliases == ("小雪",) and entity.mentions == 2
        relations = await world.graph.relations(LIBRARY, "陆听雪", None)
        assert [(row.source, row.target) for row in relations] == [("陆听雪", "沈观潮")]


@pytest.mark.parametrize("first", [True, False])
async def test_what_a_dictionary_holds_is_not_merged(tmp_path: Path, gemini: Gemini, first: bool) -> None:
    """A person's dictionary decides; a spelling that a model gives to two people is no merge."""
    shared: list[Json] = [
        {"name": "陆听雪", "kind": "Character", "aliases": ["会长", "沈观潮"]},
        {"name": "贺兰舟", "kind": "Character", "aliases": ["会长"]},
    ]
    gemini.play(answer(entities=shared if first else shared[::-1]))
    (tmp_path / "a.json").write_text('{"陆听雪": [], "沈观潮": []}', encoding="utf-8")
    async with on_fakes(tmp_path, gemini) as world:
        source = story("陆听雪来了，沈观潮走了。贺兰舟是会长。")
        report = await world.ingest(source, world.by_gemini(), aliases=tmp_path / "a.json")
        assert report.merges == 0
        assert {name.entity for name in await world.graph.names(LIBRARY, None)} == {"陆听雪", "沈观潮", "贺兰舟"}


async def test_an_offline_library_can_be_merged_too(tmp_path: Path, gemini: Gemini) -> None:
    """Later sources come under the decision; imported records too; deleting a source keeps it."""
    (tmp_path / "a.json").write_text('{"陆听雪": [], "沈观潮": [], "老鹭": [], "石敢": []}', encoding="utf-8")
    (tmp_path / "g.jsonl").write_text('{"source": "老鹭", "type": "FRIEND_OF", "target": "陆听雪"}', encoding="utf-8")
    given: dict[str, Any] = {"aliases": tmp_path / "a.json", "graph_files": [tmp_path / "g.jsonl"]}
    async with on_fakes(tmp_path, gemini) as world:
        await world.ingest(story(ONE, "老鹭走了。陆听雪没有走。"), None, **given)
        outcome = await merge_entities(world.stores, LIBRARY, "老鹭", "沈观潮")
        assert outcome.change.relations == 1
        await world.ingest(story("老鹭和石敢喝酒。"), None, name="续.txt", aliases=tmp_path / "a.json")
        assert "老鹭" not in {tag for row in await world.rows() for tag in row.entities}
        friends = await world.graph.relations(LIBRARY, "沈观潮", None, other="陆听雪", type="FRIEND_OF")
        assert [row.chapter for row in friends] == [2]
        await world.delete("续")
        assert (await load_decisions(world.catalog, LIBRARY)).resolve("老鹭") == "沈观潮"
        await split_entity(world.stores, LIBRARY, "老鹭")
        again = await world.graph.relations(LIBRARY, "老鹭", None)
        assert [(row.type, row.target) for row in again] == [("FRIEND_OF", "陆听雪")]
    assert gemini.history == []


async def test_refusals_say_what_to_do(tmp_path: Path, gemini: Gemini) -> None:
    gemini.answer(ScriptedReader())
    async with on_fakes(tmp_path, gemini) as world:
        await world.ingest(story(ONE, TWO), world.by_gemini())
        with pytest.raises(InputError, match="没有实体 唐僧"):
            await merge_entities(world.stores, LIBRARY, "唐僧", "沈观潮")
        with pytest.raises(InputError, match="同一个实体"):
            await merge_entities(world.stores, LIBRARY, "沈观潮", "沈观潮")
        with pytest.raises(InputError, match="现有的合并：无"):
            await split_entity(world.stores, LIBRARY, "沈观潮")
        await merge_entities(world.stores, LIBRARY, "沈观潮", "贺兰舟")
        with pytest.raises(InputError, match="已并入 贺兰舟"):
            await merge_entities(world.stores, LIBRARY, "陆听雪", "沈观潮")


async def test_an_interrupted_merge_is_made_good(tmp_path: Path, gemini: Gemini) -> None:
    """A decision that was noted and not applied is applied by the next ingest, although no file changed."""
    gemini.answer(ScriptedReader())
    async with on_fakes(tmp_path, gemini) as world:
        await world.ingest(story(ONE, THREE), world.by_gemini())
        rows = (Decision(name="孟鸢", into="石敢", by="person"),)
        await save_decisions(world.catalog, LIBRARY, Decisions(rows, settled=False))
        report = await world.ingest(story(ONE, THREE), world.by_gemini())
        assert report.spending.calls == 0 and report.merges == 1
        assert await world.passages.count(LIBRARY, PassageFilter(entity="孟鸢")) == 0
        assert (await load_decisions(world.catalog, LIBRARY)).settled


async def test_random_merges_undone_in_any_order(tmp_path: Path, gemini: Gemini) -> None:
    """Whatever was merged, in whatever order it is split: at the end the library is what it was."""
    gemini.answer(ScriptedReader())
    async with on_fakes(tmp_path, gemini) as world:
        await world.ingest(story(ONE, TWO, THREE), world.by_gemini())
        before = await world.state()
        for seed in range(30):
            dice = random.Random(seed)
            for _ in range(dice.randint(1, 4)):
                names = sorted({name.entity for name in await world.graph.names(LIBRARY, None)})
                if len(names) > 1:
                    await merge_entities(world.stores, LIBRARY, *dice.sample(names, 2))
            assert await world.state() != before
            merged = sorted((await load_decisions(world.catalog, LIBRARY)).merged)
            for name in dice.sample(merged, len(merged)):
                await split_entity(world.stores, LIBRARY, name)
            assert await world.state() == before, seed


def test_chains_and_circles() -> None:
    """A → B → C ends at C; a row that would close a circle is left out; a person's word comes first."""
    rows = [
        ("甲", "乙", "model"),
        ("乙", "丙", "model"),
        ("丙", "甲", "model"),
        ("丁", "甲", "model"),
        ("丁", None, "person"),
    ]
    made = Decisions(tuple(Decision(name=n, into=i, by=by) for n, i, by in rows))  # type: ignore[arg-type]  # literals
    assert made.merged == {"甲": "丙", "乙": "丙"}
    assert made.resolve("丁") == "丁" and made.effective("丁") is None
    person = Decisions((*made.rows, Decision(name="甲", into="戊", by="person")))
    assert person.merged == {"甲": "戊", "乙": "戊", "丙": "戊"}


async def test_generic_words_merge_nobody(tmp_path: Path, gemini: Gemini) -> None:
    """A chapter's 师父 or 老人 is another one's in the next; a description alone may be a name, a relation never."""
    first = {"name": "陆听雪", "kind": "Character", "aliases": ["师父", "老人", "小雪"]}
    second = {"name": "师父", "kind": "Character", "aliases": ["沈观潮", "老人"]}
    alone: list[Json] = [{"name": name, "kind": "Character", "aliases": []} for name in ("父亲", "少女")]
    gemini.play(answer(entities=[first]), answer(entities=[second]), answer(entities=alone))
    texts = ("陆听雪是老人，师父叫她小雪。", "师父沈观潮是个老人。", "父亲看着少女。")
    async with on_fakes(tmp_path, gemini) as world:
        report = await world.ingest(story(*texts), world.by_gemini(at_a_time=1))
        names = {(one.text, one.entity) for one in await world.graph.names(LIBRARY, None)}
    assert names == {("陆听雪", "陆听雪"), ("小雪", "陆听雪"), ("沈观潮", "沈观潮"), ("少女", "少女")}
    assert (report.merges, report.dropped) == (1, 0)


@pytest.mark.parametrize(
    ("spellings", "kept"),
    [
        (["the old man", "Santiago"], ["Santiago"]),
        (["The Old Man"], ["The Old Man"]),
        (["her father", "Father"], []),
        (["他的父亲"], []),
        (["船长", "沈观潮"], ["船长", "沈观潮"]),
        (["老人", "父亲"], ["老人"]),
        ([], []),
    ],
)
def test_which_spellings_name_somebody(spellings: list[str], kept: list[str]) -> None:
    """Articles and owners do not make a name of a word."""
    assert proper_names(spellings) == kept
