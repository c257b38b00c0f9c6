"""Relatives that a story calls by a word of kinship as by a name."""

import pytest

from wenmai.ingestion.names.declarations import relatives_of
from wenmai.ingestion.names.spans import Place

I_TELL = "我坐下。我没有说话。"
I_TELL_ENGLISH = "I sat down and I was quiet. "


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("外婆来了。外婆笑了。", {"外婆"}),
        ("二舅来了。我二舅笑了。", {"二舅"}),
        ("我妈来了。我妈妈笑了。我妈走了。", {"我妈", "妈妈"}),
        ("小梅的外婆来了。他外婆笑了。一个外婆走了。", set()),
        ("“外婆来了。外婆笑了。”", set()),
        ("大叔来了。大叔笑了。", set()),
        ("外婆来了。", set()),
    ],
)
def test_a_chinese_narrators_relatives(text: str, words: set[str]) -> None:
    assert set(relatives_of([text + I_TELL], ()).places) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Grandmother came. I saw Grandmother laugh. My grandmother sat.", {"Grandmother", "My grandmother"}),
        ("The Mother came. Mother Agnes and Mother Superior sat.", set()),
        ("“Mother came. Mother sat.” I saw his Mother and Tom's Mother.", set()),
    ],
)
def test_an_english_narrators_relatives(text: str, words: set[str]) -> None:
    assert set(relatives_of([text + I_TELL_ENGLISH], ()).places) == words


def test_a_relative_of_somebody_who_is_named_is_another() -> None:
    text = f"沙小菊外婆来了。沙小菊外婆走了。{I_TELL}"
    ends = {Place(0, at + len("沙小菊")) for at in (0, text.index("。") + 1)}

    assert not relatives_of([text], ends).places


def test_in_a_story_told_from_outside_a_word_must_be_used_throughout() -> None:
    assert not relatives_of(["外婆来了。外婆笑了。"], ()).places
    assert set(relatives_of(["外婆来了。" * 6], ()).places) == {"外婆"}
    assert not relatives_of(["母亲来了。" * 9], ()).places


def test_words_for_one_relative_are_paired() -> None:
    text = "姥姥来了。外婆走了。姥姥笑了。外婆坐下。"

    assert ("姥姥", "外婆") in set(relatives_of([text + I_TELL], ()).pairs()) | {
        pair[::-1] for pair in relatives_of([text + I_TELL], ()).pairs()
    }
