from itertools import pairwise
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wenmai.ingestion.names.scripts import speaker_lines, spoken_line
from wenmai.ingestion.passages import (
    DEFAULT_POLICY,
    PassagePolicy,
    has_choice,
    passage_id,
    split_passages,
    trimmed,
)

SMALL = PassagePolicy(low=30, high=60, limit=120)
STORY_TEXT = st.text(alphabet=st.sampled_from("他说：“”。！？，…」\n 甲乙丙ab.!?#-—　"), max_size=900)


def texts(text: str, policy: PassagePolicy = DEFAULT_POLICY) -> list[str]:
    spans = [trimmed(text, chunk.span) for chunk in split_passages(text, policy)]
    return [text[span.start : span.stop] for span in spans]


@given(STORY_TEXT)
def test_passages_tile_the_chapter(text: str) -> None:
    """STO-03: nothing is lost or repeated but blanks and scene marks, and no passage is above the limit."""
    spans = [chunk.span for chunk in split_passages(text, SMALL)]
    assert all(a.stop <= b.start for a, b in pairwise(spans))
    assert all(0 < len(span) <= SMALL.limit for span in spans)
    covered = {at for span in spans for at in range(span.start, span.stop)}
    left = "".join(char for at, char in enumerate(text) if at not in covered)
    marks = [line for line in left.splitlines() if line.strip()]
    assert all(line.startswith("##") or set(line.strip()) <= {"-", "*", " "} for line in marks)


def test_sentences_stay_whole() -> None:
    """STO-03: a passage ends where a sentence ends, closing quotation marks included."""
    text = "他问道：“你来了吗？”她点头说：“来了。”雨下得很大，路上没有一个行人，只有灯还亮着。" * 30
    assert all(part[-1] in "。”" and part.count("“") == part.count("”") for part in texts(text))


def test_english_sentences_stay_whole() -> None:
    text = 'Mr. Hale looked up at 3.30 and said, "We sail at once." Nobody answered him. ' * 30
    assert all(part.endswith(('"', "him.")) and not part.startswith("Hale") for part in texts(text))


def test_dialogue_lines_are_not_cut() -> None:
    """STO-03: a line `名字：` is one piece, however many sentences it has."""
    lines = [f"派蒙：第{n}句。" + "我们快走吧！天要黑了。" * 12 for n in range(20)]
    assert all(part.count("派蒙：") * 12 == part.count("天要黑了。") for part in texts("\n".join(lines)))


def test_a_long_sentence_is_cut_at_commas() -> None:
    parts = texts("这是一个很长的分句，" * 400 + "完。")
    assert all(len(part) <= DEFAULT_POLICY.limit and part[-1] in "，。" for part in parts)
    assert all(len(part) <= DEFAULT_POLICY.limit for part in texts("长" * 5000))


def test_scenes_have_titles_and_their_own_count() -> None:
    """S000-41: scene_order, chunk_order and scene_title; `---` opens a scene without a title."""
    text = "开头。\n## 港口\n第二场。\n---\n第三场。"
    chunks = split_passages(text)
    assert [(c.scene_order, c.chunk_order, c.scene_title) for c in chunks] == [(0, 0, ""), (1, 0, "港口"), (2, 0, "")]


def test_ids_depend_on_the_place_alone() -> None:
    """S000-41 PLA-23: UUIDv5 of (library, task_id, part, chapter, scene_order, chunk_order)."""
    first = passage_id("lib", "t", 1, 2, 3, 4)
    assert first == passage_id("lib", "t", 1, 2, 3, 4)
    assert UUID(first).version == 5
    assert len({first, passage_id("lib", "t", 1, 23, 4, 4), passage_id("lib", "t", 12, 3, 4, 4)}) == 3


@pytest.mark.parametrize("line", ["选项：走左边", "- [ ] 打开门", "> 1. 留下", "Choice: run"])
def test_choices_are_seen(line: str) -> None:
    """S000-41 STO-18: has_choice marks what offers the reader a choice."""
    assert has_choice(f"他停了下来。\n{line}\n")
    assert not has_choice("他停了下来，没有选择。\n")


def sure(text: str) -> list[str]:
    return [line.name for line in speaker_lines(text) if line.sure]


def test_speakers_of_script_lines() -> None:
    """STO-03: the name before the colon without what a script puts behind it; the end of a narration is none."""
    assert sure("派蒙（小声）：走吧。\n玄德曰：“好。”\n选项：走\n") == ["派蒙"]
    (line, *_) = speaker_lines("\n派蒙：走吧。\n")
    assert (line.start, line.name, line.speech) == (1, "派蒙", "走吧。")


@pytest.mark.parametrize(("line", "is_spoken"), [("派蒙（笑了）：走吧", True), ("派蒙笑了：走吧", False)])
def test_an_aside_makes_no_narration(line: str, is_spoken: bool) -> None:
    """STO-03: who speaks a line, and whether it stays whole as one that is spoken, follow one rule."""
    assert bool(spoken_line(line)) is bool(sure(f"{line}\n")) is is_spoken


def test_labels_do_not_speak() -> None:
    """STO-04: cells of a table are no speech, nor is what a word labels where few lines are spoken."""
    told = "老秦把门关上了。\n" * 5
    labelled = f"{told}人物: 老秦 | 身份: 船夫\n告示：今夜停船。\n派蒙：走吧。\n"
    assert sure(labelled) == ["派蒙"]
    assert sure("掌柜：住店？\n派蒙：走吧。\n") == ["掌柜", "派蒙"]
