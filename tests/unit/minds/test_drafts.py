"""The draft over evidence: what the reader points at, put together as the question asks for it."""

from collections.abc import Sequence

import pytest

from nodes.prompts.planner import user_text
from state.context import Language
from state.schema import Evidence, EvidenceKind
from tests.graph.rig import piece
from tests.unit.minds.rooms import Fetched, drafted, told
from tests.unit.minds.scripted import Scripted, ScriptedReader
from tests.unit.tools.world import World
from tools.documents.records import HEADING_JOINT
from tools.evidence import blank
from tools.messages import say_in
from tools.records import Entity, Horizon

SURE, LIKELY, UNSURE = 20.0, 7.0, -20.0
NOT_FOUND = user_text("not_found", "zh")
SPEECH = "门开了。“铃响了没有？”恰斯卡问。没有人回答她。"
NAMED = "卡齐娜终于获得了自己的古名。"
CONNECTION = ("find_connection", {"entity1": "恰斯卡", "entity2": "卡齐娜"})
XIAOMAN = World(entities=[Entity(name="林小满", aliases=("小满",))], relations=[], events=[])


def chunk(text: str, number: int = 1, location: str | None = None) -> Evidence:
    return {**piece(text, number), "kind": "document", "source": "手册.txt", "location": location, "event_order": None}


def memory(text: str, number: int = 1, score: float = 0.9) -> Evidence:
    return {**piece(text, number), "kind": "memory", "score": score}


class Seeing(ScriptedReader):
    """Finds nothing, and keeps what it was given to read."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def answers(self, question: str, passage: str) -> Sequence[Scripted]:
        self.seen.append(passage)
        return []


async def test_the_sentence_that_the_reader_points_at_is_the_answer() -> None:
    evidence = [piece("天亮了。", 1), piece(f"{NAMED}她笑了。", 2)]
    assert await told("卡齐娜得到了什么？", evidence, {"古名": SURE}) == f"{NAMED} [E2]"


async def test_where_nothing_answers_surely_the_draft_is_a_refusal() -> None:
    unlikely = await drafted("卡齐娜几岁？", [piece(NAMED, 1)], {"古名": UNSURE})
    assert (unlikely["status"], unlikely["refused"]) == ("not_found", "unlikely")
    assert (unlikely["confidence"] or 0) > 0.9
    nothing = await drafted("卡齐娜几岁？", [], {})
    assert (nothing["status"], nothing["refused"], nothing["confidence"]) == ("not_found", "no_evidence", None)


async def test_a_likely_rival_belongs_to_the_answer_and_two_others_are_seen_also() -> None:
    words = {"甲": SURE, "乙": SURE, "丙": LIKELY, "丁": LIKELY, "戊": LIKELY}
    evidence = [piece(f"{word}。", number) for number, word in enumerate(words, 1)]
    draft = await drafted("谁来了？", evidence, words)
    assert [one["role"] for one in draft["sentences"]] == ["answer", "answer", "see_also", "see_also"]
    assert await told("谁来了？", evidence, words) == "甲。 [E1]\n乙。 [E2]\n另见：丙。 [E3]\n另见：丁。 [E4]"


async def test_a_time_that_nobody_checks_makes_an_answer_less_sure() -> None:
    """LOP-09"""
    evidence = [piece("甲住在江边。", 1), piece("乙住在山上。", 2)]
    plain, after = [
        (await drafted(question, evidence, {"江边": 4.0}))["confidence"] or 0
        for question in ("谁住在江边？", "婚礼之后谁住在江边？")
    ]

    assert plain > after > 0


async def test_who_a_person_is_claims_less_and_refuses_no_more() -> None:
    """LOP-09: a sentence that names a person need not say who that is."""
    evidence = [piece("恰斯卡走进门来，看了看卡齐娜。", 1)]
    claims = [
        (await drafted(question, evidence, {"看了看": margin}))["confidence"] or 0
        for margin in (SURE, 1.0)
        for question in ("卡齐娜是谁？", "卡齐娜看谁？")
    ]
    assert 0 < claims[0] < claims[1] and claims[2] <= claims[3]
    assert (await drafted("卡齐娜是谁？", evidence, {"看了看": 1.0}))["status"] == "answer"
    friend = [
        (await drafted(one, evidence, {"看了看": SURE}))["confidence"] for one in ("卡齐娜的朋友是谁？", "卡齐娜看谁？")
    ]
    assert friend[0] == friend[1] != claims[0]


async def test_of_english_passages_the_one_with_the_words_of_a_question_answers() -> None:
    """LOP-09: whole words, for most pairs of letters stand in any text."""
    evidence = [piece("The entire party assembled near the shore, other animals behind.", 1)]
    evidence.append(piece("The rabbit led her underground.", 2))
    words = {"party": 3.0, "rabbit": 3.0}

    assert (await told("What led her underground?", evidence, words, language="en")).startswith("The rabbit led her")


async def test_yes_or_no_is_answered_although_the_reader_doubts_it() -> None:
    """LOP-09"""
    evidence = [piece("甲不会游水。", 1)]

    assert (await drafted("甲会游水吗？", evidence, {"游水": -3.5}))["status"] == "answer"
    assert (await drafted("谁教甲游水？", evidence, {"游水": -3.5}))["status"] == "not_found"


async def test_of_equal_sentences_that_of_the_better_passage_answers() -> None:
    """LOP-09"""
    evidence = [piece("甲乙丙丁都在等船来。", 1), piece("天亮了。", 2), piece("山下。", 3), piece("山上。", 4)]
    words = {"等船": 4.0, "山上": 4.2}

    assert (await told("甲乙丙丁在等什么船来？", evidence, words)).startswith("甲乙丙丁都在等船来。")


async def test_a_sentence_that_names_who_is_asked_about_outweighs_one_about_another() -> None:
    evidence = [piece("院长六十七岁。她姓苏。", 1), piece("天亮了。小满二十二岁。", 2)]
    first, *_ = (await told("林小满多大？", evidence, {"六十七岁": 2.0, "二十二岁": 1.9}, XIAOMAN)).splitlines()
    assert first == "小满二十二岁。 [E2]"


async def test_words_behind_a_speech_bring_the_speech_along() -> None:
    assert await told("谁来了？", [piece("“铃响了没有？”老周问。")], {"老周": SURE}) == "“铃响了没有？”老周问。 [E1]"


async def test_of_a_very_long_sentence_the_clauses_around_the_answer_are_quoted() -> None:
    text = f"{'这是一个很长的句子的一部分，' * 30}他叫阿黄，{'后面还有很多别的话要说，' * 30}完了。"
    line = (await told("他叫什么？", [piece(text)], {"阿黄": SURE})).removesuffix(" [E1]")
    assert "他叫阿黄" in line and line in text and len(line) < 200


async def test_a_passage_that_begins_in_the_middle_of_a_sentence_is_read() -> None:
    """It has a sentence to quote, however it begins."""
    text = "and told nobody before noon"
    assert await told("Who knew?", [piece(text)], {"nobody": SURE}, language="en") == f"{text} [E1]"


async def test_only_the_first_pieces_are_read_and_of_a_long_one_the_parts_that_say_most() -> None:
    many = Seeing()
    await drafted("谁说话？", [piece(f"甲说话{number}。", number) for number in range(1, 40)], many)
    assert 5 < len(set(many.seen)) < 39
    long = Seeing()
    text = "天亮了，他们又走了很远的路。" * 300 + "小满住在望江路。"
    await drafted("林小满住在哪条路？", [piece(text)], long, XIAOMAN)
    assert any("望江路" in part for part in long.seen) and sum(map(len, set(long.seen))) < len(text)


async def test_the_same_sentence_of_two_passages_stands_once() -> None:
    evidence = [piece(f"{NAMED}她笑了。", 1), piece(f"天亮了。{NAMED}", 2)]
    assert (await told("卡齐娜得到了什么？", evidence, {"古名": SURE})).count("古名") == 1


async def test_marks_of_a_quoted_text_are_no_marks_of_the_answer() -> None:
    assert await told("他见了什么？", [piece("他见[E1]和[2]。")], {"他见": SURE}) == "他见〔E1〕和［2］。 [E1]"


@pytest.mark.parametrize("kind", ["passage", "document", "memory", "relation", "event"])
async def test_texts_are_quoted_by_sentence_and_what_is_no_text_whole(kind: EvidenceKind) -> None:
    evidence: list[Evidence] = [{**piece("天亮了。她走了。"), "kind": kind}]
    whole = "天亮了。她走了。" if kind in ("relation", "event") else "她走了。"
    assert await told("谁走了？", evidence, {"她走": SURE}, toolkits=["narrative", "documents"]) == f"{whole} [E1]"


@pytest.mark.parametrize(
    ("text", "place", "quote"),
    [
        ("入职\n登记\n登记时带照片。", ["入职", "登记"], "登记时带照片。"),
        ("员工手册", ["员工手册"], "员工手册"),
        (
            "The backup generator is checked on the first day of each\nmonth. Ask for the key.",
            [],
            "The backup generator is checked on the first day of each month.",
        ),
        ("一、登记\n二、体检\n三、培训", [], "二、体检"),
    ],
)
async def test_what_of_a_document_is_quoted(text: str, place: list[str], quote: str) -> None:
    """DOC-06: sentences below the headings, items apart; a line that the layout broke goes on."""
    reader = ScriptedReader({quote.split()[0]: SURE})
    evidence = [chunk(text, location=HEADING_JOINT.join(place) or None)]
    assert (await told("这里写了什么内容？", evidence, reader, toolkits=["documents"])).startswith(f"{quote} [E1]")


async def test_a_cell_of_a_table_is_quoted_whole() -> None:
    rows = [chunk("名单如下。\n姓名: 李娜 | 部门: 研发部。二组\n以上。")]
    assert await told("李娜在哪个部门？", rows, {}, toolkits=["documents"]) == "李娜的部门：研发部。二组[E1]。"


async def test_chunks_with_the_exact_terms_are_read() -> None:
    """DOC-06: the chunks with most of the codes are read, with all else; of an unknown code none, of none all."""
    texts = ["A-100 的价格是 20 元。", "B-200 的价格是 30 元。", "价格每年调整。"]
    evidence = [*(chunk(text, number) for number, text in enumerate(texts, 1)), piece("集市", 4)]
    for question, wanted in {
        "A-100 多少钱？": [0, 3],
        "A-100 和 B-200 哪个贵？": [0, 1, 3],
        "C-300 多少钱？": [3],
        "价格什么时候调整？": [0, 1, 2, 3],
    }.items():
        reader = Seeing()
        await drafted(question, evidence, reader, toolkits=["narrative", "documents"])
        read = [number for number, one in enumerate(evidence) if any(one["text"] in part for part in reader.seen)]
        assert read == wanted, question


async def test_documents_do_not_crowd_out_the_story() -> None:
    chunks = [{**chunk(f"卡齐娜的古名{number}。", number), "score": 1.0} for number in range(1, 12)]
    evidence: list[Evidence] = [*chunks, piece("她终于获得了名字。", 12)]  # type: ignore[list-item]
    assert await told("卡齐娜的古名怎么来的？", evidence, {"获得": SURE}) == "她终于获得了名字。 [E12]"


@pytest.mark.parametrize(
    "question",
    [
        "“铃响了没有？”这句话是谁问的？",
        "“铃响了没有？”是谁问的？",
        "谁说“铃响了没有？”？",
        "是谁喊了“铃响了没有”？",
        "“铃响了没有”是谁的话？",
        'Who says "铃响了没有"?',
    ],
)
async def test_a_question_for_the_speaker_gets_the_sentence_that_names_them(question: str) -> None:
    """Where the text names none, it says so, and shows the words."""
    evidence = [piece("别的话。", 1), piece(SPEECH, 2)]
    line, _, mark = (await told(question, evidence, {"恰斯卡": SURE})).rpartition(" ")
    assert mark == "[E2]" and line in SPEECH and "恰斯卡" in line
    unnamed = await drafted(question, evidence, {"恰斯卡": UNSURE})
    refusal, also = unnamed["sentences"]
    assert (unnamed["status"], unnamed["refused"]) == ("not_found", "unlikely")
    assert len(refusal["text"].strip()) > len(NOT_FOUND)
    assert (also["role"], "铃响了没有" in also["text"], len(also["marks"])) == ("see_also", True, 1)


@pytest.mark.parametrize(
    "question",
    [
        "“铃响了没有？”是什么意思？",
        "谁问铃响了没有？",
        "小说里谁被称为“铃响了没有”？",
        "请问谁知道“铃响了没有”在哪？",
        "“铃响了没有”是对谁说的？",
        "“铃响了没有？”这句话出自哪一章？",
        'Who is called "铃响了没有"?',
        "“……！！”是谁说的？",
    ],
)
async def test_other_questions_with_quoted_words_are_none_for_their_speaker(question: str) -> None:
    draft = await drafted(question, [piece(SPEECH)], {"恰斯卡": UNSURE})
    assert draft["sentences"][0]["text"].strip() == NOT_FOUND


DOOR = "门没有锁"
BELL = "门开了。“铃响了没有？”老周问。没有人回答他。"


@pytest.mark.parametrize(
    ("words", "text", "pointed", "quote"),
    [
        pytest.param("铃响了没有？", BELL, {"铃": 9.0, "老周": 1.0}, "“铃响了没有？”老周问。", id="not by the speech"),
        pytest.param(
            "我就是老周", "“我就是老周”，老周说。", {"老周说": 5.0}, "“我就是老周”，老周说。", id="their own name"
        ),
        pytest.param(
            DOOR,
            f"老周走进来。“{DOOR}。”他又出去了。",
            {"老周": 9.0},
            f"老周走进来。“{DOOR}。”",
            id="the sentence before",
        ),
        pytest.param(DOOR, f"他在灯下坐着。“{DOOR}。”他说。", {"他说": 9.0}, "", id="a pronoun"),
        pytest.param(DOOR, f"老周走了。下雨了。又过了三天。“{DOOR}。”有人说。", {"老周": 9.0}, "", id="elsewhere"),
        pytest.param(DOOR, f"她回过头，对赶来的老周说：“{DOOR}。”", {"老周": 9.0}, "", id="whom it is said to"),
        pytest.param(DOOR, f"“{DOOR}。”她向老周喊道。", {"老周": 9.0}, "", id="whom it is called to"),
        pytest.param("The door is open", '"The door is open," she said to old Joe.', {"Joe": 9.0}, "", id="to old Joe"),
        pytest.param("铃响了没有？", BELL, {"铃": 9.0}, "", id="the words themselves"),
        pytest.param("铃响了没有？", BELL, {"老周": -5.0}, "", id="unsure"),
        pytest.param("铃响了没有？", BELL, {}, "", id="nobody"),
    ],
)
async def test_who_said_quoted_words(words: str, text: str, pointed: dict[str, float], quote: str) -> None:
    draft = await drafted(f"“{words}”是谁说的？", [piece(text)], pointed)
    first, *also = draft["sentences"]
    if quote:
        assert (draft["status"], first["text"]) == ("answer", quote)
    else:
        assert draft["status"] == "not_found" and words.rstrip("？") in also[0]["text"]


async def test_words_that_no_passage_has_have_no_speaker_and_no_meaning() -> None:
    """What the passages say of other words would be no answer."""
    evidence, reader = [piece(SPEECH, 1)], {"恰斯卡": SURE}
    assert (await told("“天塌下来了”是谁说的？", evidence, reader)).startswith(NOT_FOUND)
    assert (await told("为什么说“天塌下来了大家快跑”？", evidence, reader)).startswith(NOT_FOUND)
    assert not (await told("为什么说“铃响了没有？”？", evidence, reader)).startswith(NOT_FOUND)


@pytest.mark.parametrize(
    ("question", "name"),
    [("王大锤后来怎么样了？", "王大锤"), ("卡齐娜认识刘建军吗？", "刘建军"), ("李医生给谁看过病？", "李医生")],
)
async def test_a_person_whom_the_book_does_not_name_is_refused_by_name_but_under_a_guard(
    question: str, name: str
) -> None:
    """Of one who is only not met yet no more is said."""
    evidence, reader = [piece(NAMED, 1)], ScriptedReader(people=["王大锤", "刘建军", "李医生"])
    draft = await drafted(question, evidence, reader)
    assert (draft["status"], draft["refused"]) == ("not_found", "unknown_name")
    assert draft["sentences"][0]["text"].strip() == NOT_FOUND + say_in("zh", "answer.unnamed", name=name)
    guarded = (await told(question, evidence, reader, horizon=Horizon(1, 1))).splitlines()
    assert guarded[0] == say_in("zh", "answer.not_found_so_far", part=1, chapter=1)


@pytest.mark.parametrize(
    ("name", "text", "language", "near"),
    [
        ("小乔", "周瑜娶了小 乔，两人住在柴桑。", "zh", None),
        ("小喬", "周瑜娶了小乔。", "zh", None),
        ("王大锤", "王\n大锤走了。", "zh", None),
        ("王大锤", "村里的人都怕大锤。", "zh", None),
        ("王大锤", "赵大锤走了。", "zh", ""),
        ("ABC", "那天ＡＢＣ没有来。", "zh", None),
        ("Abernathey", "Mr. Abernathy lent him a lantern.", "en", "Abernathy"),
        ("Margaret Ashcroft", "Margaret kept the mill.", "en", "Margaret"),
        ("Margaret Ashcroft", "Then MRS.\nASHCROFT came in.", "en", None),
        ("Holmes", "Watson was out.", "en", ""),
    ],
)
async def test_nothing_false_is_said_of_a_name(name: str, text: str, language: Language, near: str | None) -> None:
    """LOP-21: "not mentioned" is said only where no text has the name, in whatever writing, or a part that tells it."""
    question = f"{name}后来去了哪里？" if language == "zh" else f"Where did {name} go?"
    world = World(entities=[], relations=[], events=[])
    draft = await drafted(question, [piece(text)], ScriptedReader(people=[name]), world, language)
    first, key = draft["sentences"][0]["text"].strip(), "answer.unnamed_but" if near else "answer.unnamed"
    assert (draft["refused"] == "unknown_name") is (near is not None)
    assert near is None or first.endswith(say_in(language, key, name=name, near=near).strip())


async def test_a_refusal_shows_the_nearest_passages_as_such() -> None:
    """LOP-22: at most three, under a line that says what they are; of files and memories only what is near."""
    story = [piece(f"{word}没有说话。", number) for number, word in enumerate("甲乙丙丁", 1)]
    draft = await drafted("卡齐娜几岁？", [*story, chunk("邮费三元。", 5), memory("用户住在杭州。", 6)], {})
    refusal, heading, *near = draft["sentences"]
    assert (refusal["role"], refusal["text"].strip()) == ("answer", NOT_FOUND)
    assert (heading["role"], heading["text"].strip()) == ("see_also", say_in("zh", "offline.reading.nearest"))
    assert [one["role"] for one in near] == ["see_also"] * 3 and all("没有说话" in one["text"] for one in near)
    assert [len(one["marks"]) for one in near] == [1] * 3
    assert (await told("卡齐娜几岁？", [memory("用户住在杭州。", 6)], {}, toolkits=["memory"])) == NOT_FOUND


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("卡齐娜是谁？", "zh"),
        ("小陆拿到了什么？", "zh"),
        ("谁在第十三章出现？", "zh"),
        ("阿姨去哪了？", "zh"),
        ("这句话是谁说的？", "zh"),
        ("“王大锤去哪了”是谁说的？", "zh"),
        ("Who is Mr. Darcy?", "en"),
    ],
)
async def test_who_is_in_the_book_or_is_nobody_is_no_stranger(question: str, language: Language) -> None:
    """A name in another script may stand in its own."""
    reader = ScriptedReader(people=["卡齐娜", "小陆", "王大锤", "Mr. Darcy"])
    evidence = [piece(f"{NAMED}她把鼓递给了小陆。", 1)]
    assert (await drafted(question, evidence, reader, language=language))["refused"] != "unknown_name"


async def test_without_a_library_nobody_is_missed() -> None:
    reader = ScriptedReader(people=["王大锤"])
    draft = await drafted("王大锤在哪里？", [chunk(NAMED)], reader, library="", toolkits=["documents"])
    assert draft["refused"] == "unlikely"


ORDER = "获得古名、比赛落败，哪个在先？"
PARTS = {word: {word: SURE} for word in ("获得", "落败")}


@pytest.mark.parametrize(
    ("evidence", "text"),
    [
        (
            [piece("卡齐娜终于获得了古名。", 6), piece("卡齐娜在比赛中落败。", 4)],
            "先是比赛落败[E2]，然后是获得古名[E1]。\n卡齐娜在比赛中落败。 [E2]\n卡齐娜终于获得了古名。 [E1]",
        ),
        (
            [piece("卡齐娜在比赛中落败。三天后终于获得了古名。", 4)],
            "先是比赛落败[E1]，然后是获得古名[E1]。\n卡齐娜在比赛中落败。 [E1]\n三天后终于获得了古名。 [E1]",
        ),
        (
            [piece("卡齐娜在比赛中落败，三天后终于获得了古名。", 4)],
            "卡齐娜在比赛中落败，三天后终于获得了古名。 [E1]",
        ),
        ([piece("卡齐娜获得了古名。", 1)], NOT_FOUND),
        ([{**piece("卡齐娜在比赛中落败。三天后获得了古名。", 4), "event_order": None}], NOT_FOUND),
    ],
    ids=["two passages", "one passage", "one sentence", "one is not found", "no story"],
)
async def test_events_are_told_in_the_order_of_the_story(evidence: list[Evidence], text: str) -> None:
    """Each with the sentence that tells it."""
    found = await told(ORDER, evidence, PARTS)
    assert found == text or (text == NOT_FOUND and found.startswith(NOT_FOUND))


async def test_two_events_are_not_told_by_the_same_words() -> None:
    """The surer one keeps them; where the other has none of its own, there is no order."""
    evidence = [piece("她先落败。后来点燃圣火。", 1)]
    both = {"落败": {"落败": SURE}, "圣火": {"落败": 6.0, "圣火": 5.0}}
    text = await told("落败、点燃圣火，哪个在先？", evidence, both)
    assert text.startswith("先是落败[E1]，然后是点燃圣火[E1]。")
    one = {"落败": {"落败": SURE}, "圣火": {"落败": 6.0}}
    assert (await told("落败、点燃圣火，哪个在先？", [piece("她落败了。", 1)], one)).startswith(NOT_FOUND)


async def test_of_events_that_the_story_does_not_tell_no_order_is_told() -> None:
    """The reader points at something in every passage, however unlikely."""
    evidence = [piece("卡齐娜终于获得了古名。", 6), piece("卡齐娜在比赛中落败。", 4)]
    assert (await told("火箭发射、股市崩盘，哪个在先？", evidence, {})).startswith(NOT_FOUND)


async def test_the_relation_of_two_people_is_what_joins_them_in_the_graph() -> None:
    world = World()
    evidence = await Fetched(world)(("lookup_knowledge", {"entity": "玛薇卡"}), CONNECTION)
    first, *_ = (await told("恰斯卡和卡齐娜是什么关系？", evidence, {}, world)).splitlines()
    number = int(first.rpartition("[E")[2].rstrip("]"))
    assert evidence[number - 1]["kind"] == "relation" and first.startswith("恰斯卡 → 卡齐娜")


async def test_edges_to_others_do_not_answer_what_joins_two_people() -> None:
    world = World()
    evidence = await Fetched(world)(("lookup_knowledge", {"entity": "玛薇卡"}))
    assert (await told("恰斯卡和卡齐娜是什么关系？", evidence, {"玛薇卡": SURE}, world)).startswith(NOT_FOUND)


@pytest.mark.parametrize("sure", [SURE, UNSURE])
async def test_a_history_is_told_in_the_order_of_the_story(sure: float) -> None:
    """Of an unlikely one the sentences with the name."""
    evidence = [piece("卡齐娜获得了古名。", 6), piece("天亮了。", 5), piece("卡齐娜在比赛中落败。", 4)]
    text = await told("卡齐娜经历了什么？", evidence, {"获得": sure, "落败": sure, "天亮": UNSURE})
    assert text.splitlines() == ["卡齐娜在比赛中落败。 [E3]", "卡齐娜获得了古名。 [E1]"]
    assert (await told("卡齐娜经历了什么？", evidence[1:2], {"天亮": UNSURE})).startswith(NOT_FOUND)


async def test_without_a_reader_sentences_are_picked_by_their_words_and_a_notice_says_so() -> None:
    """Of equal ones the first."""
    draft = await drafted("卡齐娜获得了什么古名？", [piece("天亮了。卡齐娜获得了古名。卡齐娜获得了古名！", 1)])
    answer, notice = draft["sentences"]
    assert (answer["text"].strip(), answer["role"], notice["role"]) == ("卡齐娜获得了古名。", "answer", "notice")
    assert 0 < (draft["confidence"] or 0) <= 0.5, "words that are shared answer nothing by themselves"
    assert (await told("谁在悬崖边争吵？", [piece("天亮了。", 1)])).startswith(NOT_FOUND)


@pytest.mark.parametrize(
    ("question", "words", "line", "confidence"),
    [
        ("我之前说我住在哪个城市？", {"住在杭州": SURE}, "用户住在杭州。 [E1]", 0.9),
        ("上次我说杭州怎么样？", {"杭州": UNSURE}, "用户说过杭州的夏天很热。 [E3]", 0.8),
        ("我们之前聊过什么？", {}, "用户说过杭州的夏天很热。 [E3]", 0.8),
        ("我之前说我的猫叫什么名字？", {"杭州": UNSURE}, NOT_FOUND, 0.0),
    ],
)
async def test_memories_tell_what_was_said_before(
    question: str, words: dict[str, float], line: str, confidence: float
) -> None:
    """What the reader points at, else the surest with a word of the question, whole; of the talk itself any."""
    evidence = [memory("用户住在杭州。", 1, 0.6), piece("天亮了。", 2), memory("用户说过杭州的夏天很热。", 3, 0.8)]
    draft = await drafted(question, evidence, words, toolkits=["narrative", "memory"])
    assert await told(question, evidence, words, toolkits=["narrative", "memory"]) == line
    assert (draft["confidence"] or 0) >= confidence


async def test_a_memory_is_told_whole_and_on_one_line_where_the_reader_is_unsure() -> None:
    """MEM-07: the memory that the recall was surest of, of those that speak of what is asked; else none."""
    texts = ["发布窗口定在周五", "发布窗口改到周二\n凌晨两点", "天气很好"]
    memories = [blank("memory", f"m{n}", text, score=0.5 + n / 10) for n, text in enumerate(texts, 1)]
    first, *_ = (await told("上次说的发布窗口是什么时候？", memories, {}, toolkits=["memory"])).splitlines()
    assert first == "发布窗口改到周二 凌晨两点 [E2]"
    assert (await told("上次说的火箭是什么？", memories, {}, toolkits=["memory"])).startswith(NOT_FOUND)


async def test_a_story_does_not_answer_what_leans_on_earlier_talk() -> None:
    passage = piece("恰斯卡喜欢谁？她喜欢飞行。", 2)
    question, kits = "上次我说最喜欢谁？", ["narrative", "memory"]
    mixed = [passage, memory("用户最喜欢卡齐娜。")]
    assert await told(question, mixed, {"卡齐娜": SURE}, toolkits=kits) == "用户最喜欢卡齐娜。 [E2]"
    assert (await told(question, [passage], {"飞行": SURE}, toolkits=kits)).startswith(NOT_FOUND)


@pytest.mark.parametrize("kits", [["narrative"], ["narrative", "memory"]])
@pytest.mark.parametrize("question", ["书里的我住在哪里？", "“我住在东街”是谁说的？"])
async def test_what_a_story_says_of_itself_is_not_asked_of_memories(question: str, kits: list[str]) -> None:
    evidence = [piece("“我住在东街。”沈默说。", 1)]
    reader = {"的我": {"东街": SURE}, "谁说": {"沈默": SURE}}
    assert (await told(question, evidence, reader, toolkits=kits)).endswith("[E1]")


async def test_without_memories_a_story_may_answer_what_a_user_asks() -> None:
    assert await told("我住在哪里？", [piece("我住在东街。", 1)], {"东街": SURE}) == "我住在东街。 [E1]"
