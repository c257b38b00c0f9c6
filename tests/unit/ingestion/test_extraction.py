import pytest

from tools.records import Chapter, Relation
from wenmai.ingestion.chapter_reader import tag_chapter
from wenmai.ingestion.contracts import TaggedChapter
from wenmai.ingestion.model.findings import ReadingExtractor
from wenmai.ingestion.model.pieces import Answer, Findings, Piece, Readings
from wenmai.ingestion.names.names import Namer
from wenmai.ingestion.passages import PlacedChapter, split_passages
from wenmai.ingestion.patterns.extraction import extract
from wenmai.ingestion.sources.aliases import KnownName

PEOPLE = [
    "刘备",
    "关羽",
    "张飞",
    "曹操",
    "华雄",
    "颜良",
    "马腾",
    "马超",
    "曹洪",
    "晏明",
    "许攸",
    "陆听雪",
    "陆怀远",
    "石敢",
    "周瑜",
    "吕布",
    "王允",
    "曹丕",
    "孙权",
]


def tagged(text: str, title: str = "第一回") -> TaggedChapter:
    names = [KnownName(name=name) for name in PEOPLE]
    names += [KnownName(name="徐州", kind="Location"), KnownName(name="潮汐公会", kind="Organization")]
    chapter = Chapter(
        library="l", task_id="t", part=1, number=3, title=title, text=text, digest="d", order=0, source_file="t.txt"
    )
    placed = PlacedChapter(
        chapter=chapter, task_name="t", chunks=tuple(split_passages(text)), first_order=0, changed=True
    )
    return tag_chapter(placed, Namer.build(names, [text]), "书")


def relations(text: str) -> list[Relation]:
    found = extract(tagged(text)).relations
    assert all(r.start is not None and text[r.start : r.start + len(r.evidence)] == r.evidence for r in found)
    return list(found)


@pytest.mark.parametrize("marks", ["“”", '""', "「」"])
def test_quotation_marks_of_every_kind_are_read_alike(marks: str) -> None:
    """A speech shows who talks with whom; evidence stays as written."""
    text = "“关羽，”刘备说，“你去徐州。”\n\n“我若是张飞的儿子，”曹操笑道，“早就走了。”"
    written = text.replace("“", marks[0]).replace("”", marks[1])
    assert [(one.source, one.type, one.target) for one in relations(written)] == [("刘备", "INTERACTS_WITH", "关羽")]


@pytest.mark.parametrize(
    ("text", "edge"),
    [
        ("来者乃马腾之子马超。", ("马超", "FAMILY_OF", "马腾")),
        ("陆怀远是陆听雪的父亲。", ("陆怀远", "FAMILY_OF", "陆听雪")),
        ("次日，曹洪部将晏明来战。", ("晏明", "MEMBER_OF", "曹洪")),
        ("许攸径投曹操。", ("许攸", "MEMBER_OF", "曹操")),
        ("陆听雪加入了潮汐公会。", ("陆听雪", "MEMBER_OF", "潮汐公会")),
        ("关羽斩颜良于马下。", ("关羽", "ENEMY_OF", "颜良")),
        ("刘备领徐州。", ("刘备", "LOCATED_IN", "徐州")),
        ("关羽与张飞结为兄弟。", ("关羽", "FRIEND_OF", "张飞")),
    ],
)
def test_relations_of_patterns(text: str, edge: tuple[str, str, str]) -> None:
    """STO-06: a relation is stated by verbatim evidence, its ends are canonical names."""
    assert edge in [(r.source, r.type, r.target) for r in relations(text)]


@pytest.mark.parametrize(
    "text", ["关羽欲斩颜良。", "张飞曰：“关羽杀了颜良！”", "曹操不投许攸。", "刘备来了。曹操走了。"]
)
def test_wishes_threats_and_denials_are_no_relations(text: str) -> None:
    assert relations(text) == []


def test_a_title_is_not_a_relation() -> None:
    assert relations("刘备字玄德，关羽字云长。") == []


@pytest.mark.parametrize(
    ("text", "kind", "primary"),
    [
        ("石敢大叫一声，舍身跳下断桅。", "sacrifice", "石敢"),
        ("曹丕即皇帝位，大赦天下。", "transformation", "曹丕"),
        ("周瑜夺了荆州城池。", "acquisition", "周瑜"),
        ("华雄被关羽斩于马下。", "loss", "华雄"),
        ("关羽手起刀落，斩颜良于马下。", "loss", "颜良"),
        ("刘备来见曹操，备言前事。", "encounter", "刘备"),
        ("吕布引军来，曹操大战吕布于城下。", "conflict", "曹操"),
        ("曹操识破其计，不追。", "revelation", "曹操"),
        ("孙权称帝，改元黄龙。", "milestone", "孙权"),
    ],
)
def test_the_eight_kinds_of_events(text: str, kind: str, primary: str) -> None:
    """S003-07 STO-06: an event has a kind, a name of 5-15 characters, a primary character, verbatim evidence."""
    events = [event for event in extract(tagged(text)).events if event.event_type == kind]
    assert [event.primary_character for event in events] == [primary]
    event = events[0]
    assert 5 <= len(event.name) <= 15
    assert len(event.summary) <= 50
    assert event.start is not None and text[event.start : event.start + len(event.evidence)] == event.evidence
    assert len(event.evidence) <= 50
    assert (event.part, event.chapter, event.task_id, event.event_order) == (1, 3, "t", 0)
    assert event.participants[0].name == primary and event.participants[0].role == "subject"


def test_who_is_asked_to_rule_is_not_who_asks() -> None:
    assert [e for e in extract(tagged("关羽请汉中王即皇帝位。")).events if e.event_type == "transformation"] == []


def test_two_events_of_one_kind_both_stand() -> None:
    """S003-D15: one character, one chapter, one kind, two names."""
    found = extract(tagged("周瑜夺了南郡城池。后数日，周瑜夺了荆州城池。")).events
    names = [event.name for event in found if event.event_type == "acquisition"]
    assert len(names) == len(set(names)) == 2


def test_a_chapter_has_at_most_eight_events() -> None:
    text = "".join(f"{name}称帝，改元。{name}识破其计。{name}即皇帝位。" for name in PEOPLE)
    assert len(extract(tagged(text)).events) == 8


async def test_an_answer_of_a_model_is_checked() -> None:
    """STO-06: names are canonicalised, the first subject is primary; without verbatim evidence an event is dropped."""
    text = "火神把权能交给了少女。"
    row = {
        "name": "交出权能",
        "event_type": "sacrifice",
        "characters": [{"name": "少女", "role": "object"}, {"name": "火神", "role": "subject"}],
        "summary": "火神交出权能",
        "evidence": "火神把权能交给了少女",
    }
    rows = [row, {**row, "evidence": "没有这句"}, {**row, "event_type": "miracle"}, {**row, "characters": []}]
    piece = Piece(task_id="t", chapter=3, title="第一回", text=text, start=0, language="zh")
    answer = Answer(found=Findings.model_validate({"events": rows}))
    names = [KnownName(name="玛薇卡", aliases=("火神",)), KnownName(name="少女")]
    extractor = ReadingExtractor(Readings([(piece, answer)]), Namer.build(names, [text]))
    found = await extractor.extract(tagged(text))
    assert found.dropped == 3
    assert [(e.primary_character, e.start, e.chapter) for e in found.events] == [("玛薇卡", 0, 3)]
