"""What was written for the reader can be read, and says what its format promises."""

from pathlib import Path
from random import Random

import pytest

from training.corpora import marked, written
from training.windows import occurrences
from wenmai.language.spans import Span

FILES = sorted((Path(written.__file__).parents[1] / "written").glob("*.txt"))
STORIES = [path for path in FILES if not path.stem.startswith("classic_names")]


@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_answers_stand_in_their_story_and_referents_in_their_talk(path: Path) -> None:
    for story in written.stories(path):
        text, marks = written.unmarked("\n".join(story.lines))
        assert {label for _, label in marks} <= written.KINDS.keys()
        if story.lines:
            for question, answer in story.questions:
                span = written.answer_span(answer, text)
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

    span: Span | None = written.answer_span("小顾 @@ 那天晚上小顾", text)

    assert span == (9, 11)


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
