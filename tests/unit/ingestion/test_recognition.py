"""Names by a tagger's tags, in texts and in the passages of a library."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.fakes import FakeCatalog, FakeEmbedder, FakePassageStore, FakeStoryGraph
from tools.records import PassageFilter
from wenmai.app.container import Services
from wenmai.ingestion.contracts import IngestReport, Progress, Step, Stores
from wenmai.ingestion.names.recognition import Recognised, recognise
from wenmai.ingestion.names.spans import BLOCK, NameTagger, tag_all
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.ingestion.sources.aliases import KnownName
from wenmai.reader.layout import TaggedSpan
from wenmai.settings.settings import load_settings

PERSON, PLACE, ORGANISATION = range(3)


@dataclass
class Tagger:
    """Tags what it is told to; `read` are the texts that it was asked about."""

    kinds: dict[str, int]
    sure: float = 1.0
    name: str = "tagger-1"
    read: list[str] = field(default_factory=list)

    def names(self, text: str) -> Sequence[TaggedSpan]:
        self.read.append(text)
        spans = re.finditer("|".join(sorted(map(re.escape, self.kinds), key=len, reverse=True)), text)
        return [TaggedSpan(match.start(), match.end(), self.kinds[match[0]], self.sure) for match in spans]


def people(*names: str, sure: float = 1.0) -> Tagger:
    return Tagger(dict.fromkeys(names, PERSON), sure)


def found(text: str, tagger: Tagger, known: Sequence[KnownName] = ()) -> Recognised:
    return recognise([text], known, [tagger.names(text)])


def names_of(recognised: Recognised) -> dict[str, set[str]]:
    return {entry.name: set(entry.aliases) for entry in recognised.names}


def test_kinds_are_those_that_most_tags_say() -> None:
    text = "周瑜到江陵。周瑜从江陵回来。夜巡队来了。夜巡队走了。"
    tagger = Tagger({"周瑜": PERSON, "江陵": PLACE, "夜巡队": ORGANISATION})

    kinds = {entry.name: entry.kind for entry in found(text, tagger).names}

    assert kinds == {"周瑜": "Character", "江陵": "Location", "夜巡队": "Organization"}


def test_the_most_mentioned_comes_first() -> None:
    recognised = found("周瑜。鲁肃。鲁肃。周瑜。鲁肃。", people("周瑜", "鲁肃"))

    assert [entry.name for entry in recognised.names] == ["鲁肃", "周瑜"]


@pytest.mark.parametrize("text", ["周瑜来了。", "周家来了。周家走了。", "Sir, yes. No, Sir."])
def test_what_is_tagged_once_or_is_no_name_is_left_out(text: str) -> None:
    assert found(text, people("周瑜", "周家", "Sir")).names == []


def test_a_full_name_that_stands_once_is_kept_where_a_part_of_it_is_known() -> None:
    text = "温特医生来了。托马斯·温特是个好人。温特医生走了。温特不说话。温特走了。"

    assert names_of(found(text, people("温特医生", "托马斯·温特", "温特"))) == {"托马斯·温特": {"温特", "温特医生"}}


@pytest.mark.parametrize(("sure", "kept"), [(0.95, True), (0.8, False), (0.6, False)])
def test_a_rare_name_must_be_sure(sure: float, kept: bool) -> None:
    assert bool(found("听雨来了。听雨走了。", people("听雨", sure=sure)).names) is kept


def test_a_name_that_the_user_gave_is_not_found_again() -> None:
    known = [KnownName(name="周瑜", aliases=("公瑾",))]

    assert found("周瑜。公瑾。周瑜。公瑾。鲁肃。鲁肃。", people("周瑜", "公瑾", "鲁肃"), known).names == [
        KnownName(name="鲁肃")
    ]


@pytest.mark.parametrize(
    ("text", "tagged", "kind"),
    [
        ("静静的河湾。他静静地坐着。河水静静的。", "静静", None),
        ("静静来了。静静说话。静静走了。", "静静", "Character"),
        ("他是艾尔福德村的牧师。艾尔福德很小。他在艾尔福德结了婚。", "艾尔福德", "Location"),
        ("Jacob’s Ladder. We saw Jacob’s Ladder. Then Jacob’s Ladder fell. Jacob’s Ladder is gone.", "Jacob", None),
        ("Jacob’s brother left. Jacob’s sister came. Jacob’s Ladder. Jacob spoke.", "Jacob", "Character"),
    ],
)
def test_a_word_that_stands_where_no_person_does_is_none(text: str, tagged: str, kind: str | None) -> None:
    """DOC-36: an adverb, a place, the owner in the name of a thing."""
    assert {one.name: one.kind for one in found(text, people(tagged)).names} == ({tagged: kind} if kind else {})


def test_particles_are_no_part_of_a_name() -> None:
    """DOC-36"""
    japanese = "相良は笑った。相良が来た。榎本の船だ。榎本は泣いた。"
    assert names_of(found(japanese, people("相良は", "相良が", "榎本の", "榎本は"))) == {"相良": set(), "榎本": set()}
    korean = "민수가 왔다. 민수는 웃었다. 민수를 보았다."
    assert set(names_of(found(korean, people("민수가", "민수는", "민수를")))) == {"민수"}


def test_badly_cut_tags_are_put_right() -> None:
    text = "林小满来了。林小满才坐下。林小满说话。林小满笑了。荀员外来了。荀员外走了。“林小满！”"
    tagger = people("林小满", "林小满才", "荀员", "小满", "“林小满！”")

    assert names_of(found(text, tagger)) == {"林小满": set(), "荀员外": set()}


def test_a_verb_behind_an_english_name_is_no_part_of_it() -> None:
    text = "Peter came. Peter sat down. Peter mingled with the crowd. Peter laughed."

    assert names_of(found(text, people("Peter mingled", "Peter"))) == {"Peter": set()}


@pytest.mark.parametrize("name", ["郑和", "和珅", "严致和", "陈与义", "Marks & Spencer"])
def test_a_joint_within_a_name_makes_no_couple(name: str) -> None:
    assert names_of(found(f"{name}来了。{name}走了。", people(name))) == {name: set()}


@pytest.mark.parametrize("couple", ["郑和和周瑜", "周瑜与郑和", "周瑜、小乔"])
def test_a_couple_is_no_name(couple: str) -> None:
    text = f"周瑜来了。郑和来了。周瑜走了。郑和走了。{couple}都走了。{couple}又来了。"

    assert names_of(found(text, people(couple, "周瑜", "郑和"))).keys() == {"周瑜", "郑和"}


def test_a_word_is_a_name_where_it_was_tagged() -> None:
    text = "漫漫长夜，一点光也没有。长夜说话了。长夜笑了。又是一个长夜。长夜走了。"
    tags = [TaggedSpan(match.start(), match.end(), PERSON) for match in re.finditer("长夜(?=说话|笑|走)", text)]

    recognised = recognise([text], [], [tags])

    assert recognised.uses == {"长夜": {0: frozenset(tag.start for tag in tags)}}


def test_a_thing_that_is_now_and_then_tagged_is_nobody() -> None:
    text = "林小满捡起罗盘。罗盘是铜的。他看罗盘。罗盘不见了。林小满找罗盘。"
    tags = [TaggedSpan(match.start(), match.end(), PERSON) for match in re.finditer("林小满|罗盘(?=是|不)", text)]

    assert names_of(recognise([text], [], [tags])) == {"林小满": set()}


def test_one_sentence_gives_a_person_several_names() -> None:
    text = "周远帆住在船上，水手们当面叫他周船长，背后叫他耗子。耗子笑了。周远帆走了。周船长也走了。耗子不说话。"
    tags = [TaggedSpan(match.start(), match.end(), PERSON) for match in re.finditer("周远帆|周船长|耗子", text)]

    assert names_of(recognise([text], [], [tags])) == {"周远帆": {"周船长", "耗子"}}


def test_siblings_that_are_named_once_are_two_people() -> None:
    text = "林小满说：“我有两个儿子，大的叫林大江，小的叫林小江，都在船上。”林小满叹了口气。"

    found_names = names_of(found(text, people("林小满")))

    assert {"林大江", "林小江"} <= found_names.keys()


def test_a_name_may_stand_across_the_end_of_a_line() -> None:
    text = "Walter\nBullivant came. Bullivant sat. Walter\nBullivant went. Bullivant smiled."

    recognised = found(text, people("Walter\nBullivant", "Bullivant"))

    assert names_of(recognised) == {"Walter Bullivant": {"Bullivant", "Walter\nBullivant"}}


def test_what_frames_a_story_holds_no_names() -> None:
    text = (
        "Michael Hart\n*** START OF THIS PROJECT GUTENBERG EBOOK X ***\nJohn Brown came. John Brown went.\n"
        "*** END OF THIS PROJECT GUTENBERG EBOOK X ***\nMichael Hart. Michael Hart."
    )

    assert names_of(found(text, people("Michael Hart", "John Brown"))) == {"John Brown": set()}


@pytest.mark.parametrize(("word", "kinds"), [("柴堆", set()), ("高家湾", {"Location"})])
def test_a_thing_is_no_place(word: str, kinds: set[str]) -> None:
    text = f"他走到{word}。{word}没有人。"

    assert {entry.kind for entry in found(text, Tagger({word: PLACE})).names} == kinds


def test_a_name_that_stands_once_is_kept_where_the_text_says_whose_it_is() -> None:
    text = "毛建国大名叫毛得水。毛建国走了。毛建国来了。林三来了。"

    assert names_of(found(text, people("毛建国", "毛得水", "林三"))) == {"毛建国": {"毛得水"}}


def test_a_stated_name_needs_no_tag() -> None:
    text = "赵虎力气大，大家都叫他铁牛。铁牛走了。一头铁牛立在河边。赵虎来了。"

    assert names_of(found(text, people("赵虎"))) == {"赵虎": {"铁牛"}}


async def test_long_texts_are_tagged_in_blocks_of_whole_lines() -> None:
    line = "周瑜来了。\n"
    text, told = line * (2 * BLOCK // len(line)), list[tuple[int, int]]()
    tagger = people("周瑜")

    [tagged] = await tag_all([text], tagger, lambda done, total: told.append((done, total)))

    assert len(tagger.read) > 1 and all(block.endswith("\n") for block in tagger.read)
    assert [tag.start for tag in tagged] == [match.start() for match in re.finditer("周瑜", text)]
    assert told[-1] == (len(text), len(text))


async def read_into(
    stores: Stores,
    path: Path,
    tagger: NameTagger | None,
    progress: Progress | None = None,
    aliases: Path | None = None,
) -> IngestReport:
    request = IngestRequest(path=path, library="lib", aliases=aliases)
    return await ingest(request, stores=stores, embedder=FakeEmbedder(), tagger=tagger, progress=progress)


@pytest.fixture
def stores() -> Stores:
    return Stores(passages=FakePassageStore(), graph=FakeStoryGraph(), catalog=FakeCatalog())


async def tagged_passages(stores: Stores) -> list[tuple[str, ...]]:
    return [passage.entities for passage in await stores.passages.scroll("lib", PassageFilter())]


async def test_passages_hold_a_word_only_where_it_is_a_name(tmp_path: Path, stores: Stores) -> None:
    path = tmp_path / "书.txt"
    path.write_text("第一章 上\n\n漫漫长夜，一点光也没有。\n\n第二章 下\n\n长夜说话了。长夜笑了。", encoding="utf-8")

    @dataclass
    class InTheSecond(Tagger):
        def names(self, text: str) -> Sequence[TaggedSpan]:
            return super().names(text) if "说话" in text else []

    await read_into(stores, path, InTheSecond({"长夜": PERSON}))

    assert await tagged_passages(stores) == [(), ("长夜",)]


async def test_another_tagger_reads_the_story_anew(tmp_path: Path, stores: Stores) -> None:
    path = tmp_path / "书.txt"
    path.write_text("周瑜来见鲁肃。周瑜走了。鲁肃也走了。", encoding="utf-8")
    first, other = people("周瑜"), people("周瑜", "鲁肃")
    other.name = "tagger-2"

    await read_into(stores, path, first)
    again = await read_into(stores, path, first)
    anew = await read_into(stores, path, other)

    assert (len(first.read), again.written, anew.written) == (1, 0, 1)
    assert await tagged_passages(stores) == [("周瑜", "鲁肃")]


async def test_without_a_tagger_the_names_of_files_are_known(tmp_path: Path, stores: Stores) -> None:
    path, aliases = tmp_path / "书.txt", tmp_path / "a.json"
    path.write_text("周瑜来见鲁肃。周瑜走了。鲁肃也走了。", encoding="utf-8")
    aliases.write_text('{"鲁肃": []}', encoding="utf-8")

    await read_into(stores, path, None, aliases=aliases)

    assert await tagged_passages(stores) == [("鲁肃",)]


async def test_progress_tells_how_much_was_searched(tmp_path: Path, stores: Stores) -> None:
    path = tmp_path / "书.txt"
    path.write_text("周瑜来了。周瑜走了。", encoding="utf-8")
    steps: list[Step] = []

    def told(step: Step) -> None:
        steps.append(step)

    await read_into(stores, path, people("周瑜"), told)

    assert [(step.unit, step.done == step.total) for step in steps] == [("characters", True), ("passages", True)]


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> NameTagger:
    reader = Services(load_settings(data_dir=tmp_path_factory.mktemp("reader"))).reader
    assert reader is not None
    return reader


async def test_the_reader_on_a_chinese_story(reader: NameTagger) -> None:
    text = (
        "林小满推开门，看见顾先生坐在灯下。“顾先生，我来还书。”林小满说。\n"
        "顾明渊抬起头来：“小满，你从临江市来？”林小满点点头。小满把书放在桌上。\n"
        "顾明渊笑了，顾先生的笑声很轻。“临江市下雪了吗？”他问。林小满说没有。"
    )

    recognised = recognise([text], [], await tag_all([text], reader))

    kinds = {entry.name: (entry.kind, set(entry.aliases)) for entry in recognised.names}
    assert kinds["林小满"] == ("Character", {"小满"})
    assert kinds["顾明渊"] == ("Character", {"顾先生"})
    assert kinds["临江市"][0] == "Location"


async def test_the_reader_on_an_english_story(reader: NameTagger) -> None:
    text = (
        "Mr. Brown shut the door of the inn. John Brown was a man of few words, and Mrs. Gray knew it.\n"
        '"You are late, Mr. Brown," said Mrs. Gray. John Brown only smiled. They had come from London that day, '
        'and Mrs. Gray was tired of London. "Good night, Mr. Brown," she said.'
    )

    recognised = recognise([text], [], await tag_all([text], reader))

    kinds = {entry.name: (entry.kind, set(entry.aliases)) for entry in recognised.names}
    assert kinds["John Brown"] == ("Character", {"Mr. Brown"})
    assert kinds["Mrs. Gray"] == ("Character", set())
    assert kinds["London"][0] == "Location"
