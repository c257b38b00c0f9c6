"""What of a piece of evidence may be quoted whole."""

import pytest

from state.schema import Evidence, EvidenceKind
from tests.graph.rig import piece
from tools.documents.records import HEADING_JOINT
from wenmai.minds.offline.reading import sentences_of


def quotable(kind: EvidenceKind, text: str, location: str | None = None) -> list[str]:
    one: Evidence = {**piece(text), "kind": kind, "location": location}
    return [text[slice(*span)] for span in sentences_of(one, text)]


@pytest.mark.parametrize("kind", ["passage", "document", "memory"])
def test_texts_are_quoted_by_sentence(kind: EvidenceKind) -> None:
    assert quotable(kind, "天亮了。她走了。") == ["天亮了。", "她走了。"]


@pytest.mark.parametrize("kind", ["relation", "event", "property"])
def test_what_is_no_text_is_quoted_whole(kind: EvidenceKind) -> None:
    assert quotable(kind, "天亮了。她走了。") == ["天亮了。她走了。"]


def test_the_headings_of_a_document_are_no_sentences() -> None:
    text = "员工手册\n年假\n员工每年享有十五天年假。"

    assert quotable("document", text, HEADING_JOINT.join(["员工手册", "年假"])) == ["员工每年享有十五天年假。"]


def test_a_row_of_a_table_is_one_sentence() -> None:
    row = "姓名: 李娜 | 部门: 研发部。二组"

    assert quotable("document", f"名单如下。\n{row}\n以上。") == ["名单如下。", row, "以上。"]


def test_a_heading_alone_is_quoted_for_want_of_more() -> None:
    assert quotable("document", "员工手册", "员工手册") == ["员工手册"]
