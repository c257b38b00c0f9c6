"""Questions about the book as a whole: drafts from what the real tools return to the mind's own calls."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from nodes.citations import marked_text
from nodes.prompts.planner import user_text
from state.context import Language
from state.schema import CallRecord, Evidence
from tests.unit.minds.rooms import call_of, made, mind_of, planned, told
from tests.unit.minds.scripted import ScriptedReader
from tests.unit.tools.world import LIBRARY, World, passage
from tools.base import Scope
from tools.dispatch import STOP, Toolbox
from tools.evidence import blank
from tools.language import is_chinese
from tools.records import Entity, Horizon

NOT_FOUND = user_text("not_found", "zh")


@dataclass(frozen=True)
class Book:
    """A story and the names of its people."""

    chapters: Sequence[tuple[int, str, str]]
    people: Sequence[Entity] = ()

    async def ask(self, text: str, horizon: Horizon | None = None, toolkit: str = "narrative") -> str:
        """Return the draft for a question, from the calls that the mind makes for it."""
        names = [one.name for one in self.people]
        rows = [
            replace(passage(at, 1, number, text, tuple(n for n in names if n in text)), chapter_title=title)
            for at, (number, title, text) in enumerate(self.chapters)
        ]
        world = await World(rows=rows, entities=self.people, relations=[], events=[]).stock()
        mind, language = await mind_of(ScriptedReader(), world), language_of(text)
        request = planned(text, language, toolkits=[toolkit], horizon=horizon)
        evidence: dict[str, Evidence] = {}
        calls: list[CallRecord] = []
        tools = Toolbox(list(world.tools().values()))
        for number, (name, args) in enumerate(made(await mind.planner.plan(request)), 1):
            if name != STOP:
                outcome = await tools.run(
                    name, args, Scope(library=LIBRARY, horizon=horizon, language=language), number
                )
                assert outcome.result is not None, outcome.error
                calls.append(call_of(name, args, call=number, items=outcome.result.items))
                evidence |= {one["id"]: one for one in outcome.result.evidence if one["id"] not in evidence}
        rows_found = list(evidence.values())
        draft = await mind.planner.plan(replace(request, draft_only=True, evidence=rows_found, calls=calls))
        assert isinstance(draft, dict)
        return marked_text(draft["sentences"], rows_found)


def language_of(text: str) -> Language:
    return "zh" if is_chinese(text) else "en"


NIGHT = Book(
    chapters=(
        (0, "楔子", "十三年前的冬天，钟楼起了火。没有人知道火是谁放的。"),
        (
            1,
            "第一章 雨夜",
            "雨下了一夜。林小满是夜宵店的送餐员，今年二十二岁。她把夜宵送到钟楼，钟楼里没有人。"
            "林小满在钟楼里捡到一枚铜铃。“谁在那里？”她问。没有人回答她。",
        ),
        (
            2,
            "第二章 铜铃",
            "老周是面馆的老板，认得那枚铜铃。老周说铜铃是钟楼里的东西，钟楼烧掉的那天丢的。"
            "林小满把铜铃还给了老周。老周没有收她的钱。",
        ),
        (3, "番外一 面馆", "很多年以后，面馆还开着，老周已经不在了。林小满站在钟楼对面。"),
    ),
    people=(
        Entity(name="林小满", aliases=("小满",), alias_first=((1, 1),), first=(1, 1), mentions=3),
        Entity(name="老周", first=(1, 2), mentions=2),
        Entity(name="钟楼", kind="Location", first=(1, 0), mentions=3),
    ),
)


def lines(draft: str) -> list[str]:
    """Return a draft's lines, each of which must have a mark, without the one that says what they are."""
    found = [line for line in draft.splitlines() if not line.startswith(("（以上是从原文", "(These are sentences"))]
    assert all(re.search(r"\[E\d+\]", line) for line in found), draft
    return found


async def test_main_characters() -> None:
    """The first line names them, then one line each: other names, passages, the sentence that introduces them."""
    assert lines(await NIGHT.ask("主要人物有谁？")) == [
        "主要人物有林小满和老周。 [E1]",
        "林小满（小满，3 段）：林小满是夜宵店的送餐员，今年二十二岁。 [E1]",
        "老周（2 段）：老周是面馆的老板，认得那枚铜铃。 [E2]",
    ]


async def test_the_main_character() -> None:
    head, row, others = lines(await NIGHT.ask("主角是谁？"))
    assert head.startswith("主角应该是林小满，书中提到此人最多（3 段）")
    assert row.startswith("林小满") and "老周" in others


async def test_a_guard_tells_no_mentions_of_later_chapters() -> None:
    draft = await NIGHT.ask("主要人物有谁？", Horizon(1, 1))
    assert "林小满" in draft and "老周" not in draft and "段" not in draft


async def test_number_of_chapters() -> None:
    """What stands outside the count is named apart; titles are printed as they are."""
    assert lines(await NIGHT.ask("全书共几章？")) == [
        "全书共 2 章，另有楔子和番外一 面馆。 [E3]",
        "楔子 [E1]",
        "第一章 雨夜 [E2]",
        "第二章 铜铃 [E3]",
        "番外一 面馆 [E4]",
    ]
    assert (await NIGHT.ask("全书共几章？", Horizon(1, 1))).startswith("目前读到的部分共 1 章，另有楔子。")


@pytest.mark.parametrize("count", [60, 300])
async def test_many_titles_are_summed_up(count: int) -> None:
    """All are counted, also those of a long book that the evidence does not hold."""
    book = Book([(n, f"第{n}回 事{n}", f"事{n}发生了。") for n in range(1, count + 1)])
    found = lines(await book.ask("一共多少回？"))
    assert found[0].startswith(f"全书共 {count} 回。") and len(found) == 42
    assert found[-1].startswith(f"其余 {count - 40} 回从“第41回 事41”到“第{count}回 事{count}”。")


async def test_titles_of_a_long_book() -> None:
    """An extra in the middle is none of the chapters that are counted."""
    chapters = [(n, f"第{n}回 事{n}" if n != 170 else "番外 春", f"事{n}发生了。") for n in range(1, 301)]
    book = Book(chapters)
    assert (await book.ask("一共多少回？")).startswith("全书共 299 回，另有番外 春。")
    assert await book.ask("最后一回叫什么？") == "最后一回是“第300回 事300”。 [E13]"
    assert await book.ask("第250回叫什么？") == "第250回的标题是“事250”。 [E1]"
    assert await book.ask("倒数第九回叫什么？") == "第292回的标题是“事292”。 [E13]"
    assert (await book.ask("倒数第二百五十回叫什么？")).startswith(NOT_FOUND)
    assert "“第41回 事41”到“第250回 事250”" in await book.ask("一共多少回？", Horizon(1, 250))


async def test_a_guard_calls_nothing_the_last() -> None:
    """What is last there is the last that has been read."""
    last = await NIGHT.ask("最后一章叫什么？", Horizon(1, 1))
    assert last == "目前读到的部分最后一章是“第一章 雨夜”。 [E2]"
    head, *_, end = lines(await NIGHT.ask("这本书讲了什么？", Horizon(1, 1)))
    assert head.startswith("到“第一章 雨夜”为止，主要写林小满：")
    assert end.startswith("第一章 雨夜：林小满是夜宵店的送餐员") and "没有人回答她。" in end
    english = await NIGHT.ask("How many chapters are there?", Horizon(1, 1))
    assert english.startswith("As far as you have read it has 1 chapter, besides 楔子.")
    assert (await NIGHT.ask("What is the last chapter called?", Horizon(1, 1))).startswith(
        "The last chapter as far as you have read is “第一章 雨夜”"
    )


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("第一章叫什么名字？", "第1章的标题是“雨夜”。 [E1]"),
        ("最后一章叫什么？", "最后一章是“第二章 铜铃”，后面还有“番外一 面馆”。 [E3]"),
        ("倒数第二章叫什么？", "第1章的标题是“雨夜”。 [E2]"),
        ("What is the title of chapter 2?", "The title of chapter 2 is “铜铃”. [E1]"),
        ("第九章叫什么？", NOT_FOUND),
    ],
)
async def test_titles(text: str, answer: str) -> None:
    assert await NIGHT.ask(text) == answer


async def test_what_a_chapter_tells() -> None:
    """STO-21: the people and the core, then the rest in story order, all verbatim; the last line says what they are."""
    draft = await NIGHT.ask("第二章讲了什么？")
    head, *rest = lines(draft)
    assert head.startswith("“第二章 铜铃”主要写老周和林小满：")
    core = re.sub(r" \[E\d\]$", "", head.split("：", 1)[1])
    assert "铜铃" in core and core in NIGHT.chapters[2][2]
    assert rest[-1].startswith("结尾：") and "老周没有收她的钱。" in rest[-1]
    assert all(line.split("：")[0] in ("开头", "经过", "结尾") for line in rest)
    story = NIGHT.chapters[2][2]
    assert all(re.sub(r" \[E\d\]$", "", line.split("：", 1)[1]) in story for line in rest)
    assert draft.splitlines()[-1] == "（以上是从原文中挑出的最能说明内容的句子，按故事顺序，不是概括）"


async def test_a_long_sentence_ends_at_a_clause() -> None:
    clause = "铜铃沿着江边一直响到天亮，"
    draft = await Book([(1, "第一章", f"{clause * 20}钟楼里没有人。铜铃响了。")]).ask("第一章讲了什么？")
    assert f"{clause}铜铃" in draft and "天亮……" in draft and clause * 15 not in draft


async def test_chapters_are_found_by_title_and_from_the_last() -> None:
    assert (await NIGHT.ask("楔子讲了什么？")).startswith("“楔子”：十三年前的冬天，钟楼起了火")
    assert "“番外一 面馆”" in await NIGHT.ask("最后一章讲了什么？")
    assert (await NIGHT.ask("尾声讲了什么？")).startswith(NOT_FOUND)


async def test_what_the_book_is_about() -> None:
    """STO-21: the main characters with the core, then a line for each chapter in its own sentences."""
    head, *rest = lines(await NIGHT.ask("这本书讲了什么？"))
    assert head.startswith("这本书主要写林小满和老周的故事：")
    assert [line.split("：")[0] for line in rest] == ["楔子", "第一章 雨夜", "第二章 铜铃", "番外一 面馆"]
    assert "林小满站在钟楼对面。" in rest[-1]


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("前情提要：到目前为止发生了什么？", "番外一 面馆"),
        ("到第一章为止讲了什么？", "第一章 雨夜"),
        ("Recap: what has happened so far?", "番外一 面馆"),
        ("What happened up to chapter 1?", "第一章 雨夜"),
        ("前情提要：第二章之前发生了什么？", "第一章 雨夜"),
        ("What happened before chapter 2?", "第一章 雨夜"),
        ("What happened before the end of chapter 2?", "第二章 铜铃"),
        ("书中主要事件的先后顺序是怎样的？", "番外一 面馆"),
    ],
)
async def test_a_recap_goes_as_far_as_it_is_asked_for(text: str, last: str) -> None:
    """STO-61: chapter by chapter, in story order."""
    *_, end = lines(await NIGHT.ask(text))
    assert end.startswith(last)


async def test_a_recap_tells_nothing_behind_the_guard() -> None:
    """STO-61 STO-19: under a guard a recap ends where its reader has read to."""
    draft = await NIGHT.ask("前情提要：到目前为止发生了什么？", Horizon(1, 1))
    assert (
        "第一章 雨夜：" in draft
        and "老周" not in draft
        and "铜铃" not in draft.split("第一章 雨夜：")[1].split("捡到")[0]
    )


@pytest.mark.parametrize("toolkit", ["story", "narrative"])
async def test_where_somebody_was_seen_last(toolkit: str) -> None:
    """STO-61: the last passage that names them; under a guard the last that has been read."""
    draft = await NIGHT.ask("老周最后一次出现是在哪里？", toolkit=toolkit)
    assert draft == "老周最后一次被提到是在“番外一 面馆”：很多年以后，面馆还开着，老周已经不在了。 [E3]"
    guarded = await NIGHT.ask("林小满最后一次出现是在哪里？", Horizon(1, 1), toolkit)
    assert guarded.startswith("在您读到的部分，林小满最后一次被提到是在“第一章 雨夜”：林小满在钟楼里捡到一枚铜铃。")


async def test_how_two_met() -> None:
    """STO-61: where nothing says how, the first passage that names both is shown for what it is."""
    draft = await NIGHT.ask("林小满和老周是怎么认识的？")
    assert draft.startswith("林小满和老周最早同时出现是在“第二章 铜铃”：林小满把铜铃还给了老周。")


async def test_what_was_left_open_needs_a_model() -> None:
    """STO-61: it says so, and shows what was read last."""
    draft = await NIGHT.ask("还有哪些事没有交代？", Horizon(1, 1))
    assert "没有语言模型时回答不了" in draft and "没有人回答她。" in draft and "老周" not in draft


@pytest.mark.parametrize("toolkit", ["story", "narrative"])
async def test_where_a_person_appears_first(toolkit: str) -> None:
    draft = await NIGHT.ask("小满第一次出现在哪一章？", toolkit=toolkit)
    assert draft == "林小满最早出现在“第一章 雨夜”：林小满是夜宵店的送餐员，今年二十二岁。 [E1]"


async def test_a_narrator_outside_of_the_story() -> None:
    assert (await NIGHT.ask("谁在讲这个故事？")).startswith("故事以第三人称讲述，叙述者不是书中人物：")


@pytest.mark.parametrize(("tagged", "shown"), [(["沈默"], "由书中人物沈默以"), ([], "没有说出")])
async def test_a_narrator_of_the_story(tagged: list[str], shown: str) -> None:
    """Whom a passage of the story is tagged with, although only "I" stands there, tells the story.

    What another library, a document or a memory tells of an "I" is none of this book's.
    """
    own: Evidence = {**blank("passage", "1", "我每天六点开门，我的店很小。", library=LIBRARY), "entities": tagged}
    others = [
        blank("passage", "2", "我叫沈默。", library="other"),
        blank("document", "3", "我叫沈默。"),
        blank("memory", "4", "我叫沈默。", library=LIBRARY),
    ]
    for piece in (own, *others):
        piece["tool"] = "read_chapters"
    world = World(rows=[], entities=[Entity(name="沈默")], relations=[], events=[])

    assert shown in await told("谁在讲这个故事？", [own, *others], {}, world)


async def test_without_a_story_or_in_rag_mode_no_book_is_told_of() -> None:
    piece = {**blank("passage", "1", "林小满走进钟楼。", library=LIBRARY), "tool": "read_chapters"}
    evidence: list[Evidence] = [{**piece, "chapter": 1, "title": "第一章"}]  # type: ignore[typeddict-item]

    assert "林小满" in await told("全书讲了什么？", evidence, {})
    assert "林小满" in await told("这本书讲了一个什么故事？", evidence, {})
    assert (await told("全书讲了什么？", evidence, {}, toolkits=["documents"])).startswith(NOT_FOUND)
    assert (await told("全书讲了什么？", evidence, {}, mode="rag")).startswith(NOT_FOUND)
