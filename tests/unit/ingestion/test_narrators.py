"""Who tells a story in the first person."""

import pytest

from wenmai.ingestion.names.names import Namer
from wenmai.ingestion.names.narrator import narrators_of
from wenmai.ingestion.sources.aliases import KnownName
from wenmai.language.narration import is_first_person, narrated

CALLED = "“你来了，沈默。”她说。我点点头，跟着我的影子进了门。“沈默，坐。”我坐下，我没有说话。“老周还没来。”"
OUTSIDE = "“我来了。”沈默说。他点点头，跟着影子进了门。“坐，沈默。”老周说。"
HARDING = (
    "I went up to my room, and I lay down. 'Harding,' she cried, 'are you ill?' I told her that I was. "
    "'Go to bed, Harding.' I went. My aunt Gray looked at me. Gray had never liked me. "
)


def entity_of(text: str, *names: str) -> str | None:
    return narrators_of([text], Namer.build(named(*names), [text])).tellers.get(text)


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
    found = narrators_of([before, after], Namer.build(named("沈默", "老周"), [before, after]))

    assert not found.mentions(before)
    assert {after[one.start : one.end] for one in found.mentions(after)} == {"我"}
    assert all(not narrated(after)[one.start].isspace() for one in found.mentions(after))


def test_speech_does_not_make_a_first_person() -> None:
    assert not is_first_person([OUTSIDE * 5])
    assert is_first_person([HARDING])


def test_each_chapter_has_the_narrator_who_gives_his_name_in_it() -> None:
    """STO-36: a diary or a letter within a story is told by its own writer; who is only named tells nothing."""
    frame = "我叫林远，是县里的档案员。那年秋天我在库房里找到一本日记，封面上写着苏念青。我把它带回了家。"
    diary = "我叫苏念青，今年十七岁。我在纱厂做工，每月三块钱。昨天我把母亲的戒指当了。"
    letter = "我到了上海，我很好。我给你寄了两块钱，我下个月再写。\n　　何小满\n"
    after = "我合上日记。“林远，吃饭了。”我娘喊我。我不饿。苏念青死了，苏念青的弟弟还在，我去找他。"
    outside = "何小满来了。他点点头，跟着影子进了门。何小满没有说话，何小满坐下了。"
    texts = [frame, diary, letter, after, outside]
    found = narrators_of(texts, Namer.build(named("林远", "苏念青", "何小满"), texts))

    assert [found.tellers.get(text) for text in texts[:4]] == ["林远", "苏念青", "何小满", "林远"]
    assert not found.mentions(outside)
