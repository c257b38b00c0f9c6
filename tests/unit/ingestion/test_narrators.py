"""Who tells a story in the first person."""

import pytest

from wenmai.ingestion.names.names import Namer
from wenmai.ingestion.names.narrators import narrator_of
from wenmai.ingestion.sources.aliases import KnownName
from wenmai.language.narration import is_first_person, narrated

CALLED = "“你来了，沈默。”她说。我点点头，跟着我的影子进了门。“沈默，坐。”我坐下，我没有说话。“老周还没来。”"
OUTSIDE = "“我来了。”沈默说。他点点头，跟着影子进了门。“坐，沈默。”老周说。"
HARDING = (
    "I went up to my room, and I lay down. 'Harding,' she cried, 'are you ill?' I told her that I was. "
    "'Go to bed, Harding.' I went. My aunt Gray looked at me. Gray had never liked me. "
)


def named(*names: str) -> list[KnownName]:
    return [KnownName(name=name, kind="Character", aliases=()) for name in names]


@pytest.mark.parametrize(
    ("text", "names", "narrator"),
    [
        (CALLED * 3, ("沈默", "老周"), "沈默"),
        (HARDING * 3, ("Harding", "Gray"), "Harding"),
        (OUTSIDE * 3, ("沈默", "老周"), None),
        ("我叫住了张三，请他等我。我跟着他走了，我想张三不会回来了。" * 5, ("张三",), None),
    ],
)
def test_a_narrator_is_whom_others_call_by_name(text: str, names: tuple[str, ...], narrator: str | None) -> None:
    found = narrator_of([text], Namer.build(named(*names), [text]))

    assert (found.entity if found else None) == narrator


def test_i_means_the_narrator_outside_of_speech_from_the_chapter_on_that_tells_the_name() -> None:
    before, after = "我醒了。天亮了，我出门去。", CALLED * 3
    found = narrator_of([before, after], Namer.build(named("沈默", "老周"), [before, after]))

    assert found and not found.mentions(before)
    assert {after[one.start : one.end] for one in found.mentions(after)} == {"我"}
    assert all(not narrated(after)[one.start].isspace() for one in found.mentions(after))


def test_speech_does_not_make_a_first_person() -> None:
    assert not is_first_person([OUTSIDE * 5])
    assert is_first_person([HARDING])
