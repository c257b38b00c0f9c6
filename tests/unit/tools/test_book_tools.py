"""list_characters and read_chapters: the book as a whole."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import pytest

from tests.unit.tools.world import LIBRARY, TEXTS, World, data_of, passage, text_of
from tools.base import Scope
from tools.dispatch import Toolbox
from tools.language import cost
from tools.records import Entity, Horizon, MajorEvent, Passage, Summary, SummaryFilter, SummarySentence
from tools.story.list_characters import ListCharacters
from tools.story.names import EntityNames
from tools.story.read_chapters import ReadChapters

SCOPE = Scope(library=LIBRARY)
GUARDED = Scope(library=LIBRARY, horizon=Horizon(1, 3))
STORY = (
    ("雨下了一夜。林小满把车停在巷口，没有下车。", ("林小满",)),
    ("“小满！”老周喊。林小满是夜宵店的送餐员，今年二十二岁。她的师傅叫老周。", ("林小满", "老周")),
    ("林小满一个人走回去。", ("林小满",)),
)


def night() -> World:
    """Return a story of three chapters with two people."""
    rows = [passage(at, 1, at + 1, text, entities) for at, (text, entities) in enumerate(STORY)]
    entities = [
        Entity(name="林小满", aliases=("小满",), alias_first=((1, 1),), first=(1, 1), mentions=3),
        Entity(name="老周", first=(1, 2), mentions=1),
        Entity(name="夜宵店", kind="Location", first=(1, 2), mentions=9),
    ]
    return World(rows=rows, entities=entities, relations=[], events=[])


def long_chapter(passages: int) -> World:
    """Return one chapter; every third of its inner passages tells of both people, the others of anything."""
    rows = [
        passage(at, 1, 1, "甲和乙在雨里走。", ("甲", "乙"))
        if at % 3 == 1
        else passage(at, 1, 1, "".join(chr(0x4E00 + 97 * at + 7 * n) for n in range(8)), ())
        for at in range(passages)
    ]
    return World(rows=rows, entities=[Entity(name=name, first=(1, 1)) for name in "甲乙"], relations=[], events=[])


async def test_list_characters() -> None:
    """STO-20: people alone, the most mentioned first, with spellings, passages, first chapter and a sentence."""
    outcome = await night().call("list_characters")
    assert text_of(outcome).splitlines() == [
        "1. 林小满（小满）: 3 段，首见第1部 第1章: 林小满是夜宵店的送餐员，今年二十二岁。",
        "2. 老周: 1 段，首见第1部 第2章: 她的师傅叫老周。",
        "共 2 条，显示 2 条",
    ]
    first = data_of(outcome)["people"][0]
    assert (first["passages"], first["first"]["chapter"], first["chapter"]) == (3, 1, 2)


async def test_each_person_has_a_piece_of_their_own() -> None:
    """STO-20: the sentence is verbatim at its offsets, also where two people are introduced in one passage."""
    outcome = await night().call("list_characters")
    assert outcome.result is not None
    pieces = outcome.result.evidence
    assert [piece["entities"] for piece in pieces] == [["林小满"], ["老周"]]
    assert len({piece["id"] for piece in pieces}) == 2
    for piece in pieces:
        assert piece["kind"] == "passage" and piece["chapter"] == 2
        assert STORY[1][0][piece["start"] : piece["end"]] == piece["text"]


async def test_where_somebody_appears_first() -> None:
    """STO-20: of a person who is asked for by any spelling, the first sentence that names them comes first."""
    outcome = await night().call("list_characters", names=["小满"])
    assert outcome.result is not None
    assert text_of(outcome).splitlines()[0] == "已解析: 小满 -> 林小满"
    first, introduced = outcome.result.evidence
    assert (first["chapter"], first["text"]) == (1, "林小满把车停在巷口，没有下车。")
    assert introduced["text"].startswith("林小满是夜宵店的送餐员")


async def test_list_characters_of_a_place_and_of_nobody() -> None:
    """STO-20: a name that is asked for may be anything; one without a passage is nothing found."""
    world = World()
    assert data_of(await world.call("list_characters", names=["纳塔"]))["people"][0]["first"]["chapter"] == 0
    assert text_of(await world.call("list_characters", names=["无此人"])) == "未找到相关信息"


async def test_list_characters_limit() -> None:
    """STO-20: so many are shown as are asked for, the total is told."""
    outcome = await World().call("list_characters", top_k=2)
    assert len(data_of(outcome)["people"]) == 2
    assert text_of(outcome).splitlines()[-1].startswith("共 5 条，显示 2 条")


async def test_people_beyond_the_horizon_do_not_count() -> None:
    """STO-19 STO-20: passages are counted up to the horizon."""
    people = {one["name"]: one["passages"] for one in data_of(await World().call("list_characters", GUARDED))["people"]}
    assert people == {"恰斯卡": 1, "卡齐娜": 1, "玛薇卡": 1, "基尼奇": 1, "阿尤": 1}


async def test_people_are_chosen_by_what_a_reader_has_seen() -> None:
    """STO-19 STO-20: who will be named most in the whole book is not shown for it; the total counts everyone seen."""
    seen = [("甲", "乙", "丙"), ("丁",), ("丁",), ("戊", "丁")]
    rows = [passage(at, 1, at, f"{'和'.join(names)}来了。", names) for at, names in enumerate(seen)]
    rows += [passage(at, 2, at, "甲和乙和丙来了。", ("甲", "乙", "丙")) for at in range(4, 30)]
    people = [Entity(name=name, first=(1, 0), mentions=27) for name in "甲乙丙"]
    people += [Entity(name="丁", first=(1, 1), mentions=3), Entity(name="戊", first=(1, 3), mentions=1)]
    world = World(rows=rows, entities=people, relations=[], events=[])

    found = data_of(await world.call("list_characters", GUARDED, top_k=1))

    assert ([one["name"] for one in found["people"]], found["people"][0]["passages"]) == (["丁"], 3)
    assert found["total"] == 5


async def test_lists_read_no_text_but_that_which_is_shown() -> None:
    """STO-20 STO-21: who and where is known without the texts."""
    world = World()
    for name, arguments in (
        ("list_characters", {}),
        ("list_characters", {"names": ["卡齐娜"]}),
        ("read_chapters", {}),
        ("read_chapters", {"chapters": [0, -1]}),
    ):
        await world.call(name, **arguments)
    scrolls = [method for method, _, _ in world.passages.asked if method == "scroll"]
    assert len(scrolls) == 4 and world.passages.texts == 0


async def test_english_sentences_keep_their_abbreviations() -> None:
    """STO-20: the full stop of a title ends no sentence."""
    text = "It rained. Mr. Brown was a clerk of forty, with Dr. Grey for a friend. He slept."
    world = World(rows=[passage(0, 1, 1, text, ("Brown",))], entities=[Entity(name="Brown")], relations=[], events=[])
    person = data_of(await world.call("list_characters"))["people"][0]
    assert person["sentence"] == "Mr. Brown was a clerk of forty, with Dr. Grey for a friend."


async def test_chapters_are_listed() -> None:
    """STO-21: without chapters all are listed, each a piece with its number, title and part."""
    outcome = await World().call("read_chapters")
    assert text_of(outcome).splitlines()[:2] == ["- 第1部 第0章", "- 第1部 第1章"]
    assert outcome.result is not None and len(outcome.result.evidence) == 7
    last = outcome.result.evidence[-1]
    assert (last["part"], last["chapter"], last["title"], last["text"], last["start"]) == (2, 2, "第2章", "第2章", None)
    assert data_of(await World().call("read_chapters", part=2))["total"] == 2


async def test_titles_are_printed_as_they_are() -> None:
    """STO-21: the number is not told twice; without a title it is told."""
    rows: list[Passage] = [
        replace(passage(0, 1, 3, "雨。", ()), chapter_title="第三章 雨夜"),
        replace(passage(1, 1, 4, "晴。", ()), chapter_title=""),
    ]
    text = text_of(await World(rows=rows).call("read_chapters"))
    assert text.splitlines() == ["- 第三章 雨夜", "- 第4章", "共 2 条，显示 2 条"]


def long_book() -> World:
    """Return 300 chapters of two parts, with an extra between them and at the end."""
    titles = [f"第{n}回 事{n}" for n in range(1, 301)]
    titles[149], titles[299] = "番外 春", "番外 冬"
    rows = [
        replace(passage(at, 1 + (at >= 150), at + 1, "雨。", ()), chapter_title=title)
        for at, title in enumerate(titles)
    ]
    return World(rows=rows, entities=[], relations=[], events=[])


async def test_of_many_chapters_the_ends_are_listed_and_what_a_count_must_know() -> None:
    """STO-21: the total counts every chapter; shown are the first, the last, extras and where a part begins."""
    outcome = await long_book().call("read_chapters")
    assert outcome.result is not None
    titles = [piece["text"] for piece in outcome.result.evidence]
    assert (data_of(outcome)["total"], outcome.result.items, len(titles)) == (300, 300, 142)
    assert titles[:100] == [f"第{n}回 事{n}" for n in range(1, 101)]
    assert titles[100:103] == ["番外 春", "第151回 事151", "第261回 事261"] and titles[-1] == "番外 冬"
    assert text_of(outcome).splitlines()[-2:] == ["- 第2部 番外 冬", "共 300 条，显示 142 条"]


async def test_a_list_that_is_cut_to_the_budget_keeps_the_last_title() -> None:
    """S004-25 STO-21."""
    outcome = await long_book().call("read_chapters", replace(SCOPE, budget=400))
    *lines, last, count = text_of(outcome).splitlines()
    assert lines[0] == "- 第1部 第1回 事1" and last == "- 第2部 番外 冬"
    assert count == f"共 300 条，显示 {len(lines) + 1} 条" and cost(text_of(outcome)) <= 400


@pytest.mark.parametrize(
    ("arguments", "titles"),
    [
        ({"chapters": [200, 201]}, ["第200回 事200", "第201回 事201"]),
        ({"chapters": [-2, -1]}, ["第299回 事299", "番外 冬"]),
        ({"chapters": [1, 2], "part": 2}, []),
        ({"title": "番外"}, ["番外 春", "番外 冬"]),
    ],
)
async def test_only_titles(arguments: dict[str, object], titles: list[str]) -> None:
    """STO-21: of a range, a part, or by words."""
    outcome = await long_book().call("read_chapters", titles_only=True, **arguments)
    assert [one["title"] for one in data_of(outcome)["chapters"]] == titles
    assert titles or text_of(outcome) == "未找到相关信息"


async def test_a_short_chapter_is_shown_whole() -> None:
    """STO-58: where all passages have room they are shown, none of them cut."""
    outcome = await long_chapter(26).call("read_chapters", chapters=[1, 1])
    assert [item["event_order"] for item in data_of(outcome)["items"]] == list(range(26))
    assert "..." not in text_of(outcome)


TOLD = "甲第{n}次走进雾里的钟楼，把铜灯交给了乙，没有人看见他们。"


def tower(chapters: int, passages: int) -> World:
    """Return chapters of passages, each with a sentence that tells of both people and one that tells nothing."""
    rows = [
        passage(
            chapter * passages + at,
            1,
            chapter + 1,
            f"{TOLD.format(n=chapter * passages + at)}{chr(0x4E00 + 7 * at)}{chr(0x5E00 + 11 * at)}远远地来了。",
            ("甲", "乙"),
        )
        for chapter in range(chapters)
        for at in range(passages)
    ]
    return World(rows=rows, entities=[Entity(name=name, first=(1, 1)) for name in "甲乙"], relations=[], events=[])


async def test_a_long_chapter_is_told_by_whole_sentences_from_its_beginning_to_its_end() -> None:
    """STO-58: sentences stand whole, in story order, in each stretch of the chapter, and name the chapter's people."""
    scope = replace(SCOPE, budget=1_000)
    outcome = await tower(1, 60).call("read_chapters", scope, chapters=[1, 1])
    (section,) = data_of(outcome)["sections"]
    texts = [row["text"] for row in section["sentences"]]
    numbers = [int(n) for text in texts for n in re.findall(r"第(\d+)次", text)]
    assert cost(text_of(outcome)) <= 1_000 and "不是概括" in text_of(outcome)
    assert numbers == sorted(numbers) and numbers[0] == 0 and numbers[-1] > 50 and len(numbers) > 12
    assert max(after - before for before, after in pairwise(numbers)) < 15
    assert all(text.endswith("。") for text in texts)
    stored = {one.id: one.text for one in tower(1, 60).rows}
    assert outcome.result is not None
    assert all(piece["text"] in "".join(stored.values()) for piece in outcome.result.evidence)


async def test_each_chapter_of_a_book_is_told() -> None:
    """STO-58: chapters have equal shares; of many with little room neighbours share one."""
    outcome = await tower(12, 20).call("read_chapters", replace(SCOPE, budget=1_200), chapters=[0, -1])
    assert [one["chapter"] for one in data_of(outcome)["sections"]] == list(range(1, 13))
    many = await tower(60, 10).call("read_chapters", replace(SCOPE, budget=1_200), chapters=[0, -1])
    chapters = [one["chapter"] for one in data_of(many)["sections"]]
    assert 10 < len(chapters) < 30 and chapters[0] < 4 and chapters[-1] == 60


async def test_so_many_sentences_as_are_asked_for() -> None:
    """STO-58: the first and the last of the story are among them."""
    outcome = await tower(4, 10).call("read_chapters", chapters=[0, -1], sentences=8)
    told = "".join(row["text"] for one in data_of(outcome)["sections"] for row in one["sentences"])
    assert told.count("。") == 8 and told.startswith("甲第0次")


async def test_an_event_is_told_first() -> None:
    """STO-58: of sentences alike the one stands for its chapter whose words are an event's."""
    world = tower(1, 30)
    event = MajorEvent(
        name="交灯",
        event_type="milestone",
        primary_character="甲",
        part=1,
        chapter=1,
        task_id="t1",
        start=0,
        event_order=17,
        evidence="甲第17次走进雾里的钟楼",
    )
    rows = [replace(one, start=100 * one.event_order, end=100 * one.event_order + len(one.text)) for one in world.rows]
    world = replace(world, rows=rows, events=[replace(event, start=1_700)])
    told = data_of(await world.call("read_chapters", chapters=[1, 1], sentences=6))["sections"][0]["sentences"]
    assert any("第17次" in row["text"] for row in told)


async def test_chapters_are_read_page_by_page() -> None:
    """STO-57: whole passages in story order, each once; behind the last page there is nothing."""
    world, scope, found = tower(2, 20), replace(SCOPE, budget=600), list[int]()
    pages = 0
    for page in range(1, 20):
        outcome = await world.call("read_chapters", scope, chapters=[1, 2], page=page)
        items = data_of(outcome)["items"]
        found += [item["event_order"] for item in items]
        assert cost(text_of(outcome)) <= 600 and all(item["text"] in text_of(outcome) for item in items)
        pages += bool(items)
    assert found == list(range(40)) and 2 < pages < 19
    assert f"共 {pages} 页（40 段）" in text_of(await world.call("read_chapters", scope, chapters=[1, 2], page=pages))


async def test_a_models_summaries_come_first() -> None:
    """STO-59: where a model has written them they are shown, each sentence by the words that bear it out."""
    world = await tower(3, 20).stock()
    rows = [summary(1, "甲一次次把灯交给乙。", 3), summary(2, "乙没有来。", 25), summary(3, "灯灭了。", 50)]
    tools = {"read_chapters": ReadChapters(world.passages, world.graph, Written(rows))}
    told = await Toolbox([*tools.values()]).run("read_chapters", {"chapters": [0, -1], "sentences": 9}, SCOPE, 1)
    assert [(one["by"], one["chapter"]) for one in data_of(told)["sections"]] == [
        ("model", 1),
        ("model", 2),
        ("model", 3),
    ]
    assert told.result is not None
    assert "甲一次次把灯交给乙。" in text_of(told) and "模型写的概要" in text_of(told)
    texts = [one.text for one in world.rows]
    assert all(any(piece["text"] in text for text in texts) for piece in told.result.evidence)
    guarded = replace(SCOPE, horizon=Horizon(1, 2))
    seen = await Toolbox([*tools.values()]).run("read_chapters", {"chapters": [0, -1], "sentences": 9}, guarded, 1)
    assert "乙没有来。" in text_of(seen) and "灯灭了" not in text_of(seen)


async def test_a_person_is_described_as_of_the_guard() -> None:
    """STO-59: the description is the latest that a reader may know, with its evidence."""
    world = await tower(3, 20).stock()
    rows = [replace(summary(n, f"甲在第{n}章。", 20 * n - 20), kind="person", subject="甲") for n in (1, 2, 3)]
    tool = ListCharacters(world.graph, world.passages, EntityNames(world.graph), Written(rows))
    for horizon, chapter in ((None, 3), (Horizon(1, 2), 2)):
        found = await Toolbox([tool]).run("list_characters", {}, replace(SCOPE, horizon=horizon), 1)
        people = {one["name"]: one["description"] for one in data_of(found)["people"]}
        assert people == {"甲": [f"甲在第{chapter}章。"], "乙": []}
        assert [n for n in (1, 2, 3) if f"甲在第{n}章。" in text_of(found)] == [chapter]


def summary(chapter: int, text: str, at: int) -> Summary:
    ids = (tower(3, 20).rows[at].id,)
    return Summary(
        library=LIBRARY,
        kind="chapter",
        task_id="t1",
        part=1,
        chapter=chapter,
        first=(1, chapter),
        sentences=(SummarySentence(text, ids),),
    )


@dataclass(frozen=True)
class Written:
    """Summaries as a catalog gives them."""

    rows: Sequence[Summary]

    async def summaries(self, library: str, where: SummaryFilter) -> list[Summary]:
        return [one for one in self.rows if where.horizon is None or where.horizon.shows(one.part, one.chapter)]


@pytest.mark.parametrize(
    ("arguments", "orders"),
    [
        ({"chapters": [1, 2], "part": 1}, [1, 2]),
        ({"chapters": [1, 1]}, [1, 5]),
        ({"chapters": [-1, -1]}, [6]),
        ({"chapters": [4, -1]}, [4, 5, 6]),
        ({"chapters": [-99, -6]}, [0, 1]),
        ({"title": "第 4 章"}, [4]),
        ({"chapters": [70, 80]}, []),
        ({"chapters": [70, -1]}, []),
    ],
)
async def test_which_chapters_are_read(arguments: dict[str, object], orders: list[int]) -> None:
    """STO-21: by number in every part, counted from the last, or by words of the title."""
    outcome = await World().call("read_chapters", **arguments)
    assert [item["event_order"] for item in data_of(outcome)["items"]] == orders
    assert orders or text_of(outcome) == "未找到相关信息"


@pytest.mark.parametrize("chapters", [[2, 1], [1], [-1, -2], [1, 2, 3]])
async def test_wrong_ranges_are_refused(chapters: list[int]) -> None:
    """STO-21 S000-D04: the message names the rule."""
    outcome = await World().call("read_chapters", chapters=chapters)
    assert not outcome.ok and "负数从最后一章数起" in (outcome.error or "")


async def test_chapters_beyond_the_horizon_are_not_listed() -> None:
    """STO-19 STO-21: neither listed nor read, and the last chapter is the last one that may be known."""
    world = World()
    assert data_of(await world.call("read_chapters", GUARDED))["total"] == 4
    items = data_of(await world.call("read_chapters", GUARDED, chapters=[-1, -1]))["items"]
    assert [item["text"] for item in items] == [TEXTS[3][2]]
