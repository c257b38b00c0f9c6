"""Whole sessions through the offline resolver: quotations as answers, titles, kin, last resorts, English."""

import pytest

from nodes.roles import ResolveRequest
from state.session import Session, SessionTurn
from tools.records import Name
from tools.story.linking import NameTable
from wenmai.minds.offline.resolver import resolved, talk_before

PEOPLE = [
    "关羽", "张飞", "张达", "曹操", "刘备", "刘表", "刘璋", "祢衡", "张松", "夏侯惇", "曹性", "武松", "武大郎",
    "潘金莲", "司马懿", "司马师", "司马昭", "甘宁", "许攸", "袁绍", "诸葛恪", "孙峻", "史涣", "徐晃",
]  # fmt: skip
TABLE = NameTable.build(Name(text=name, entity=name, kind="Character", mentions=9) for name in PEOPLE)
ENGLISH = NameTable.build(
    Name(text=text, entity=entity, kind=kind, mentions=5)
    for text, entity, kind in (
        ("Ada Marsh", "Ada Marsh", "Character"), ("Ada", "Ada Marsh", "Character"),
        ("Tobias Reed", "Tobias Reed", "Character"), ("Lady Vane", "Lady Vane", "Character"),
        ("Bram Cole", "Bram Cole", "Character"), ("Heron", "Heron", "Item"), ("Fog Harbor", "Fog Harbor", "Location"),
    )
)  # fmt: skip


def follow_up(
    question: str, *exchanges: tuple[str, str], table: NameTable = TABLE, known: dict[str, str] | None = None
) -> str:
    """Replay exchanges, then return the resolved question."""
    session = Session(entities=[], topic=None, turns=[])
    text = ""
    for asked, answer in (*exchanges, (question, "")):
        language = "en" if asked.isascii() else "zh"
        request = ResolveRequest(
            question=asked, session=session, library="x", horizon=None, language="en" if language == "en" else "zh"
        )
        resolution = resolved(request, table, talk_before(request, table, known))
        text = resolution.question
        turn = SessionTurn(question=asked, resolved=text, answer=answer, entities=resolution.entities)
        session = Session(entities=[], topic=resolution.topic, turns=[*session["turns"], turn][-5:])
    return text


WHO = "谁献计烧了乌巢？"
QUOTED = "史涣便杀散人夫，放火焚烧粮车。韩猛抵当不住，拨回马走。徐晃催军烧尽辎重。[1]"


def test_the_name_that_opens_an_answer_is_its_focus() -> None:
    """LOP-09 S000-22: 许攸。 and a quotation behind it: the quotation's names do not count."""
    assert follow_up("他后来怎么死的？", (WHO, f"许攸。\n{QUOTED}")) == "许攸后来怎么死的？"


def test_a_name_that_is_only_quoted_does_not_displace_the_topic() -> None:
    """LOP-09: an answer of bare quotations leaves the talk where it was."""
    before = ("袁绍为什么杀许攸的家人？", "“操自引军攻打”，史涣、徐晃曰：“便可出兵。”[1]")
    assert follow_up("他最后怎么样了？", before) == "袁绍最后怎么样了？"


@pytest.mark.parametrize(
    ("question", "expected", "before"),
    [
        ("他把那只眼睛怎么样了？", "夏侯惇", ("夏侯惇的眼睛是被谁射瞎的？", "曹性。曹性一箭射中夏侯惇左目。")),
        ("弟弟是怎么报仇的？", "武松", ("武松的哥哥是谁？", "武大郎。")),
        ("哥哥是怎么死的？", "司马师", ("司马懿有哪两个儿子？", "长子司马师，次子司马昭。")),
        ("凶手后来怎么样了？", "孙峻", ("诸葛恪是被谁杀的？", "诸葛恪被孙峻所杀。")),
        ("父亲后来去了哪里？", "甘宁的父亲", ("甘宁是哪里人？", "甘宁是巴郡人。")),
        ("后来为什么归顺了？", "甘宁", ("甘宁是哪里人？", "甘宁是巴郡人。")),
        ("他俩为什么要杀他？", "范疆和张达为什么要杀张飞", ("张飞是被谁杀害的？", "张飞被范疆、张达所杀。")),
        ("献计的那个人怎么死的？", "许攸怎么死的", ("是谁向曹操献计的？", "许攸向曹操献计。")),
    ],
)
def test_role_nouns_and_dropped_words(question: str, expected: str, before: tuple[str, str]) -> None:
    """LOP-09: kin, killers, victims and advisers are found from what was asked and told."""
    assert expected in follow_up(question, before)


def test_a_title_is_looked_up_in_what_the_graph_says() -> None:
    """S000-22: 那位州牧 is who holds the office, not who was named last."""
    before = (("张松把图献给了谁？", "张松把图献给刘备，没有告诉刘璋。"), ("后来呢？", "张松被张飞看见。"))
    asked = "那位州牧是怎么处置他的？"
    assert follow_up(asked, *before, known={"刘璋": "职位: 益州牧"}).startswith("刘璋是怎么处置张松")


ALONE = [
    "裸着身子击鼓骂曹的祢衡，后来被谁砍了头？",
    "是谁到刘备营寨里把他说降的？",
    "董卓的尸首旁边有一位名士跑去痛哭，此人是谁？",
    "张松是刘璋的儿子吗？他和刘家究竟怎么论？",
    "宁肯战死也不降魏的那位吴将是谁？",
    "曹性用什么办法让张飞相信他是真降？",
    "在驴脸上添字替父亲解围的那个神童，他的二叔在蜀汉当什么官？",
    "祢衡和他父亲是什么关系？",
]


@pytest.mark.parametrize("question", ALONE)
def test_a_question_that_brings_its_own_people_stays(question: str) -> None:
    """LOP-09: relative clauses, sentences and complements of its own bind the pronoun."""
    assert follow_up(question, ("袁绍是怎么败的？", "袁绍听不进许攸的话，败给了曹操。")) == question


ADA = ("Who is Ada Marsh?", "Ada Marsh is the daughter of Tobias Reed.")
VANE = ("Why did Lady Vane hate Bram Cole?", "Because he burned her ship in Fog Harbor.")


@pytest.mark.parametrize(
    ("question", "expected", "before"),
    [
        ("Where was she born?", "Where was Ada Marsh born?", [ADA]),
        ("What happened to him?", "What happened to Tobias Reed?", [ADA, ("Who is her father?", "Tobias Reed.")]),
        ("Why?", "Why (Ada Marsh)?", [ADA]),
        ("Did she ever forgive him?", "Did Lady Vane ever forgive Bram Cole?", [VANE]),
        ("Where is that place?", "Where is Fog Harbor?", [VANE]),
        ("Why did that man leave?", "Why did Tobias Reed leave?", [ADA, ("Who betrayed her?", "Tobias Reed did.")]),
        ("How did he get it?", "How did Bram Cole get Heron?", [("Who commands the Heron?", "Bram Cole does.")]),
        ("What did they do?", "What did Ada Marsh and Bram Cole do?", [("How did Ada and Bram Cole meet?", "At sea.")]),
        ("What about Bram Cole?", "What about Bram Cole?", [ADA]),
    ],
)
def test_english_follow_ups(question: str, expected: str, before: list[tuple[str, str]]) -> None:
    """LOP-09: gender by kinship and title, things, places and elliptic questions in English."""
    assert follow_up(question, *before, table=ENGLISH) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How tall?", "How tall (Tobias Reed)?"),
        ("Any children?", "Any children (Tobias Reed)?"),
        ("And in the end?", "And in the end (Tobias Reed)?"),
        ("What did the gentleman inherit?", "What did Tobias Reed inherit?"),
        ("Who else was there?", "Who else was at Fog Harbor?"),
        ("Who went there with Ada?", "Who went to Fog Harbor with Ada?"),
        ("How many chapters are there?", "How many chapters are there?"),
        ("Is there a storm?", "Is there a storm?"),
        ("How do the boats come back?", "How do the boats come back?"),
    ],
)
def test_english_fragments_and_places(question: str, expected: str) -> None:
    """LOP-09: a question without a verb is about whom the talk is; there as a place, but not as existence."""
    before = ("Who is Tobias Reed?", "Tobias Reed is a gentleman of Fog Harbor.")
    assert follow_up(question, before, table=ENGLISH) == expected
