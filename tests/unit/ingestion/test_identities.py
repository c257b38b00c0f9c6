"""Since when a reader knows whose name a name is, and who stands for somebody until then."""

from dataclasses import replace

import pytest

from tools.records import Horizon, Passage, Position, VisibleName
from wenmai.ingestion.library.entities import count_entities, trace_identity
from wenmai.ingestion.library.sightings import observe
from wenmai.ingestion.sources.aliases import KnownName

NIGHT, SEAMSTRESS = "潮生", "乌三娘"


def rows(*passages: tuple[int, str]) -> list[tuple[Position, frozenset[str]]]:
    return [((1, chapter), frozenset(spellings.split())) for chapter, spellings in passages]


def story(*passages: tuple[int, str], tag: str = SEAMSTRESS) -> list[Passage]:
    return [
        Passage(
            id=str(n),
            library="lib",
            text=text,
            part=1,
            chapter=chapter,
            event_order=n,
            start=0,
            end=len(text),
            task_id="t",
            entities=(tag,),
        )
        for n, (chapter, text) in enumerate(passages)
    ]


@pytest.mark.parametrize(
    ("passages", "since"),
    [
        ([(1, "潮生"), (2, "乌三娘"), (9, "潮生 乌三娘"), (10, "潮生")], (1, 9)),
        ([(1, "乌三娘 潮生"), (2, "潮生")], (1, 1)),
        ([(1, "潮生"), (2, "乌三娘"), (4, "潮生"), (4, "乌三娘"), (5, "潮生")], (1, 4)),
        ([(1, "潮生"), (2, "乌三娘"), (3, "潮生")], (1, 2)),
        ([(1, "乌三娘"), (3, "潮生"), (4, "乌三娘")], (1, 3)),
        ([(3, "潮生"), (5, "潮生")], (1, 3)),
    ],
    ids=["passage", "at once", "chapter", "never told", "never told, named before", "no other name"],
)
def test_an_alias_counts_from_where_the_story_tells_whose_it_is(
    passages: list[tuple[int, str]], since: Position
) -> None:
    """STO-19: the first passage with a known spelling beside it, else the first chapter, else once both are there."""
    assert trace_identity(SEAMSTRESS, SEAMSTRESS, rows(*passages)).known_since(NIGHT) == since


def test_a_canonical_name_that_comes_late_is_told_late() -> None:
    """STO-19: the canonical name is known first; who bore another name before is that person until both meet."""
    one = trace_identity("顾小满", "顾小满", rows((1, "阿苇"), (3, "阿苇 哑巴"), (5, "哑巴"), (8, "顾小满 阿苇")))
    assert [one.known_since(name) for name in ("顾小满", "阿苇", "哑巴")] == [(1, 8), (1, 8), (1, 8)]
    assert [one.name_at("哑巴", (1, chapter)) for chapter in (3, 7, 8)] == ["阿苇", "阿苇", "顾小满"]
    assert one.guises(["哑巴"], (1, 5)) == (VisibleName(entity="顾小满", known_as="阿苇", since=(1, 5), until=(1, 8)),)


def test_titles_before_the_name_are_one_person_under_the_first() -> None:
    """STO-19: no passage joins 程厅长 to 程半山, yet the dictionary may not tell the name before the story does."""
    one = trace_identity(
        "程半山", "程半山", rows((2, "程厅长"), (3, "程大人"), (5, "程半山"), (6, "程大人"), (7, "程厅长"))
    )
    assert [one.name_at("程大人", (1, chapter)) for chapter in (3, 4, 5)] == ["程厅长", "程厅长", "程半山"]
    assert one.guises(["程厅长"], (1, 2)) == (
        VisibleName(entity="程半山", known_as="程厅长", since=(1, 2), until=(1, 5)),
    )
    assert one.apart_until(["程厅长", "程大人"]) is None


def test_a_spelling_may_join_another_before_the_entity() -> None:
    """STO-19: it bears its own name, then that of the person it joined, then the entity's."""
    one = trace_identity("X", "X", rows((1, "a"), (2, "b"), (3, "X"), (4, "a b"), (6, "a X")))
    assert [(g.known_as, g.since, g.until) for g in one.guises(["b"], (1, 2))] == [
        ("b", (1, 2), (1, 4)),
        ("a", (1, 4), (1, 6)),
    ]
    assert one.apart_until(["a", "b"]) == (1, 4) and one.apart_until(["b", "X"]) == (1, 6)
    assert one.apart_until(["b"]) is None


def test_persons_stand_for_who_is_not_yet_told() -> None:
    """STO-19: until the reveal the alias is an entity of its own, and the entity begins where its own name does."""
    known = {SEAMSTRESS: KnownName(name=SEAMSTRESS, aliases=("潮生", "乌婆婆"))}
    passages = story((1, "一封信，潮生。"), (2, "坊主乌三娘，人称乌婆婆。"), (9, "乌三娘就是潮生。"))
    index = count_entities(observe(passages, known), known)
    entity, person = index.entities
    assert (entity.first, entity.aliases, entity.alias_first) == ((1, 2), ("潮生", "乌婆婆"), ((1, 9), (1, 2)))
    assert (person.name, person.first, person.until, person.mentions) == ("潮生", (1, 1), (1, 9), 1)
    assert {id: [g.known_as for g in guises] for id, guises in index.guises.items()} == {"0": ["潮生"]}


def test_a_title_that_others_bear_too_is_nobodys_own() -> None:
    """STO-19: a person known by a shared title could not be told from its other bearers: they stay unnamed."""
    known = {SEAMSTRESS: KnownName(name=SEAMSTRESS, aliases=("会长",)), "贺": KnownName(name="贺", aliases=("会长",))}
    index = count_entities(observe(story((1, "会长来了。"), (2, "乌三娘。"), (3, "会长乌三娘。")), known), known)
    assert [entity.name for entity in index.entities] == [SEAMSTRESS]
    assert index.guises["0"][0].known_as == ""


@pytest.mark.parametrize(("text", "hidden"), [("操曰：“可。”", False), ("那人走了。", True)])
def test_who_is_meant_without_a_name_waits_for_the_last_reveal(text: str, hidden: bool) -> None:
    """STO-19: a model may tell who 那人 is; the reader knows when every name is told. A given name follows its name."""
    known = {"曹操": KnownName(name="曹操", aliases=("阿瞒",))}
    passages = story((1, "曹操。"), (2, text), (3, "阿瞒。"), (5, "曹操小字阿瞒。"), tag="曹操")
    index = count_entities(observe(passages, known), known)
    assert ("1" in index.guises) is hidden


def test_words_are_whole_words() -> None:
    """STO-19: Ned in turned is not Ned."""
    known = {"Edward": KnownName(name="Edward", aliases=("Ned",))}
    passages = story((1, "Ned spoke."), (2, "Edward turned."), (4, "Edward, called Ned"), tag="Edward")
    assert count_entities(observe(passages, known), known).entities[0].alias_first == ((1, 4),)


def test_a_passage_shows_the_names_of_its_reader() -> None:
    """STO-19: entities and speakers alike; without a guard they are who they are in the end."""
    [passage] = story((1, "潮生：不信任何人。"))
    guise = VisibleName(entity=SEAMSTRESS, known_as=NIGHT, since=(1, 1), until=(1, 9))
    veiled = replace(passage, guises=(guise,))
    told = [veiled.as_of(horizon).entities for horizon in (Horizon(1, 8), Horizon(1, 9), None)]
    assert told == [(NIGHT,), (SEAMSTRESS,), (SEAMSTRESS,)]
