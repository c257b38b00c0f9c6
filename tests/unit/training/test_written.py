"""What was written for the reader can be read, and says what its format promises."""

from pathlib import Path
from random import Random

import pytest

from training.corpora import marked, written
from training.examples import Names
from training.windows import occurrences
from wenmai.reader.layout import NameKind

FILES = sorted((Path(written.__file__).parents[1] / "written").glob("*.txt"))
STORIES = [path for path in FILES if not path.stem.startswith("classic_names")]


@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_answers_stand_in_their_story_and_referents_in_their_talk(path: Path) -> None:
    for story in written.stories(path):
        text, marks = written.unmarked("\n".join(story.lines))
        assert {label for _, label in marks} <= written.KINDS.keys()
        if story.lines:
            for (question, answer), span in zip(story.questions, written.answer_spans(story, text), strict=True):
                assert bool(span) == bool(answer), question
        for follow_up in written.follow_ups(story):
            said = "\n".join(f"{turn.question}\n{turn.answer}" for turn in follow_up.talk)
            for reference in follow_up.references:
                assert all(occurrences(said, name) for name in reference.antecedents), follow_up.question


def test_marks_are_taken_out_of_a_text() -> None:
    text, marks = written.unmarked("{林小满|p}到了{滨江路|l}。")

    assert text == "林小满到了滨江路。"
    assert [(text[slice(*span)], label) for span, label in marks] == [("林小满", "p"), ("滨江路", "l")]


def test_an_answer_that_stands_twice_is_found_by_its_piece() -> None:
    text = "小顾来了。那天晚上小顾走了。"
    story = written.Story("t", "zh", [text], [["谁走了？", "小顾 @@ 那天晚上小顾"], ["谁病了？", ""]])

    assert written.answer_spans(story, text) == [(9, 11), None]


@pytest.mark.parametrize(
    ("lines", "line", "reason"),
    [
        (["林小满来了。"], 1, "nothing stands before it"),
        (["=== 雨夜 | 中文"], 1, "a story begins with"),
        (["=== 雨夜 | zh", "下雨。", "== 雨"], 3, "nothing stands before it"),
        (["=== 雨夜 | zh", ">>", "= 雨"], 3, "nothing stands before it"),
        (["=== 雨夜 | zh", "下雨。", "??谁来了？"], 3, "no such mark"),
        (["=== 雨夜 | zh", "下雨。", "?? {谁|p 来了？"], 3, "braces"),
    ],
)
def test_a_line_that_fits_nowhere_is_named(lines: list[str], line: int, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "rain.txt"
    path.write_text("\n".join(lines), encoding="utf-8")

    with pytest.raises(ValueError, match=rf"rain\.txt:{line}: {reason}"):
        written.stories(path)


def test_what_a_story_does_not_hold_is_named_with_it() -> None:
    with pytest.raises(ValueError, match="'雨夜' does not hold its answer '老周'"):
        written.answer_spans(written.Story("雨夜", "zh", ["林小满来了。"], [["谁来了？", "老周"]]), "林小满来了。")
    with pytest.raises(ValueError, match=r"'雨夜' marks names as \['person'\]"):
        written.names(written.Story("雨夜", "zh", ["{林小满|person}来了。"]))


def test_an_unanswerable_question_is_asked_of_passages_without_an_answer() -> None:
    story = written.Story("t", "zh", ["很长的故事。" * 200], [["谁来了？", ""]])
    text = "\n".join(story.lines)

    found = list(written.questions(story, text, [None], Random(1)))

    assert len(found) == 2
    assert not any(question.answerable for question in found)


def test_forms_of_a_list_are_marked_longest_first_but_where_they_are_no_names() -> None:
    text = "宝玉见了贾宝玉的通灵宝玉。"

    names = marked.marked(text, ["p: 宝玉、贾宝玉", "not: 通灵宝玉"])

    assert [text[start:end] for start, end, _ in names.names] == ["宝玉", "贾宝玉"]


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        ("=== 雨夜 | 1 | 0", "a block begins with"),
        ("=== 雨夜 | 9 | 0 | 5", "the novel has no such piece"),
        ("=== 雨夜 | 1 | 90 | 95", "the novel has no such piece"),
        ("=== 雨夜 | 1 | 0 | 5\nq: 林小满", r"not with \['q'\]"),
        ("=== 雨夜 | 1 | 0 | 5\np：林小满", "not with"),
    ],
)
def test_a_block_that_cannot_be_marked_is_named(block: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "雨夜.json").write_text('{"chapters": [{"n": 1, "text": "林小满来了。"}]}', encoding="utf-8")
    (tmp_path / "lists.txt").write_text(block, encoding="utf-8")

    with pytest.raises(ValueError, match=rf"lists\.txt: '雨夜.*{reason}"):
        list(marked.names(tmp_path / "lists.txt", tmp_path))


def test_a_list_is_of_a_piece_of_a_novel(tmp_path: Path) -> None:
    (tmp_path / "雨夜.json").write_text(
        '{"chapters": [{"n": 3, "text": "下雨了。林小满到了江陵。"}]}', encoding="utf-8"
    )
    (tmp_path / "lists.txt").write_text("=== 雨夜 | 3 | 4 | 12\np: 林小满\nl: 江陵\n", encoding="utf-8")

    assert list(marked.names(tmp_path / "lists.txt", tmp_path)) == [
        Names("林小满到了江陵。", [(0, 3, NameKind.PERSON), (5, 7, NameKind.PLACE)])
    ]
