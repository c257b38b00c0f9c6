"""Who tells a story in the first person."""

import pytest

from wenmai.ingestion.names.names import Namer
from wenmai.ingestion.names.narrator import narrator_of
from wenmai.ingestion.sources.aliases import KnownName
from wenmai.language.narration import is_first_person, narrated

CALLED = "“你来了，沈默。”她说。我点点头，跟着我的影子进了门。“沈默，坐。”我坐下，我没有说话。“老周还没来。”"
OUTSIDE = "“我来了。”沈默说。他点点头，跟着影子进了门。“坐，沈默。”老周说。"
HARDING = (
    "I went up to my room, and I lay down. 'Harding,' she cried, 'are you ill?' I told her that I was. "
    "'Go to bed, Harding.' I went. My aunt Gray looked at me. Gray had never liked me. "
)


def entity_of(text: str, *names: str) -> str | None:
    found = narrator_of([text], Namer.build(named(*names), [text]))
    return found.entity if found else None


def named(*names: str) -> list[KnownName]:
    return [KnownName(name=name, kind="Character", aliases=()) for name in names]


@pytest.mark.parametrize(
    ("text", "narrator"),
    [
        (CALLED * 3, "沈默"),
        (OUTSIDE * 3, None),
        ("我叫沈默，是这条街上的鞋匠。我每天六点开门，我的店很小。", "沈默"),
        ("“沈默，你又睡着了。”我娘说。我爬起来，我的手还是冷的。我没有说话。", "沈默"),
        ("“我叫沈默，”那个人说。我不认识他，我也不想认识他。我走了。", None),
        ("“我叫沈默。”我回答。我不认识他，我也不想认识他。我走了。", "沈默"),
        ("我叫住了沈默，请他等我。我走得很慢，我的腿疼。" * 5, None),
        ("我是沈默的儿子。我每天六点开门，我的店很小。", None),
        ("我叫老赵。我是老赵，我不是沈默。我的店很小。有人喊错了：“我叫沈默，”我回答。我笑了。", "老赵"),
    ],
)
def test_a_chinese_narrator(text: str, narrator: str | None) -> None:
    assert entity_of(text, "沈默", "老周", "老赵") == narrator


@pytest.mark.parametrize(
    ("told", "is_named"),
    [
        (HARDING * 3, False),
        ("'Tom Grey,' I told myself, 'you are a fool.'", True),
        ("“When will you do anything, Tom Grey?” said my aunt.", True),
        ("'My name is Tom Grey,' I said.", True),
        ("My name is Tom Grey and I was born in Dover.", True),
        ("I was Tom Grey's oldest friend.", False),
        ("'My name is Tom Grey,' said the man.", False),
        ("I called Tom Grey a fool.", False),
    ],
)
def test_an_english_narrator(told: str, is_named: bool) -> None:
    found = entity_of(f"{told} I took my hat and I went home. I was tired.", "Tom Grey", "Harding", "Gray")

    assert (found == "Tom Grey") == is_named


def test_i_means_the_narrator_outside_of_speech_from_the_chapter_on_that_tells_the_name() -> None:
    before, after = "我醒了。天亮了，我出门去。", CALLED * 3
    found = narrator_of([before, after], Namer.build(named("沈默", "老周"), [before, after]))

    assert found and not found.mentions(before)
    assert {after[one.start : one.end] for one in found.mentions(after)} == {"我"}
    assert all(not narrated(after)[one.start].isspace() for one in found.mentions(after))


def test_speech_does_not_make_a_first_person() -> None:
    assert not is_first_person([OUTSIDE * 5])
    assert is_first_person([HARDING])
