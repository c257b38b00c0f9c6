"""Kin whom a story names behind a word of kinship: whose they are is told by the surname."""

import pytest

from tools.records import Chapter
from wenmai.ingestion.chapter_reader import tag_chapter
from wenmai.ingestion.contracts import TaggedChapter
from wenmai.ingestion.names.names import Namer
from wenmai.ingestion.passages import PlacedChapter, split_passages
from wenmai.ingestion.patterns.extraction import find_kin
from wenmai.ingestion.patterns.quoting import EVIDENCE, quoted_mask
from wenmai.ingestion.sources.aliases import KnownName

PEOPLE = [
    "何海", "何潮", "何汐", "何澜", "沈舟", "沈帆", "沈桨", "陆怀远", "陆听雪", "司马雁", "司马鸿", "司马鹄",
]  # fmt: skip


def tagged(text: str) -> TaggedChapter:
    names = [KnownName(name=name) for name in PEOPLE]
    chapter = Chapter(
        library="l", task_id="t", part=1, number=3, title="第三回", text=text, digest="d", order=0, source_file="t.txt"
    )
    placed = PlacedChapter(
        chapter=chapter, task_name="t", chunks=tuple(split_passages(text)), first_order=0, changed=True
    )
    return tag_chapter(placed, Namer.build(names, [text]), "书")


def kin(text: str) -> list[tuple[str, str, str]]:
    """Return (kin, description, relative); every evidence is verbatim where it says it is."""
    found = list(find_kin(tagged(text), quoted_mask(text)))
    for row in found:
        assert row.start is not None and text.startswith(row.evidence, row.start) and row.type == "FAMILY_OF"
    return [(row.source, row.description, row.target) for row in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("何海大怒，即令子何潮引军先行。", [("何潮", "之子", "何海")]),
        ("何海带着儿子何潮出海。", [("何潮", "之子", "何海")]),
        ("何海之子何潮为先锋，何潮之子何汐随后。", [("何潮", "之子", "何海"), ("何汐", "之子", "何潮")]),
        (
            "司马雁长子司马鸿，字子远；次子司马鹄，字子高。",
            [("司马鸿", "之子", "司马雁"), ("司马鹄", "之子", "司马雁")],
        ),
        ("何海引二子何潮、何汐来见。", [("何潮", "之子", "何海"), ("何汐", "之子", "何海")]),
        ("沈舟遣弟沈帆守港。", [("沈帆", "之弟", "沈舟")]),
        ("陆听雪回家，见了父亲陆怀远。", [("陆怀远", "之父", "陆听雪")]),
        ("沈舟命侄沈桨摇船。", [("沈桨", "之侄", "沈舟")]),
    ],
)
def test_whose_kin_somebody_is(text: str, expected: list[tuple[str, str, str]]) -> None:
    """Children, brothers, fathers and nephews by deterministic patterns, several children of one list too."""
    assert kin(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "何海来见公子沈帆。",
        "何海与太子何潮同行。",
        "沈舟笑道：“贤弟何潮来了！”",
        "书曰：“族弟沈帆拜上。”沈舟看毕。",
        "沈舟道：“此人有二子：长子沈帆。”",
        "何海的学生沈舟说，弟子何潮已走。",
        "何海不在。\n次日，长子何潮到了。",
        "沈舟召见何海长子。",
    ],
)
def test_what_is_no_kinship(text: str) -> None:
    """Titles, addresses, another speaker's words, another surname, another paragraph."""
    assert kin(text) == []


def test_a_list_of_children_names_no_child_after_another() -> None:
    """A style name between two children does not make the first the father of the second."""
    text = "何海长子何潮，字汐平，次子何汐，三子何澜。"
    assert [row[2] for row in kin(text)] == ["何海"] * 3


def test_kin_far_from_each_other_are_quoted_where_the_kin_is_named() -> None:
    text = "何海" + "在海上漂了很久很久" * 6 + "，方遣次子何潮回港。"
    (found,) = find_kin(tagged(text), quoted_mask(text))
    assert "次子何潮" in found.evidence and len(found.evidence) <= EVIDENCE
