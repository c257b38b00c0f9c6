"""Which sentences tell most of what passages are about."""

from tests.graph.rig import piece
from wenmai.minds.offline.book.central import LONGEST, central_sentences, sentences_of, shortened

NAMES = {"林小满": "林小满", "小满": "林小满", "老周": "老周"}
TOLD = sentences_of(
    [
        (1, piece("天色很暗，风从江边吹过来。林小满把铜铃交给老周，铜铃是钟楼里的东西。")),
        (3, piece("小满那天在路上淋了很久的雨，铜铃响了一声。河边的柳树已经发芽了，真好看。", 2)),
    ]
)


def test_the_sentence_with_what_comes_again_is_first() -> None:
    (best,) = central_sentences(TOLD, NAMES, 2)
    assert best.marked == "林小满把铜铃交给老周，铜铃是钟楼里的东西。 [E1]"


def test_a_title_makes_its_words_count() -> None:
    assert central_sentences(TOLD, NAMES, 1, topic="柳树 发芽 河边")[0].text.startswith("河边的柳树")


def test_nothing_central_where_nothing_comes_again() -> None:
    assert central_sentences(sentences_of([(1, piece("天色很暗，风从江边吹过来，没有人。"))]), {}, 3) == []


def test_each_sentence_once() -> None:
    text = "他走进了旧钟楼。好！"
    found = sentences_of([(1, piece(text)), (2, piece("他走进了旧钟楼。外面下雨了吗？", 2))])
    assert [(one.number, one.text) for one in found] == [(1, "他走进了旧钟楼。"), (2, "外面下雨了吗？")]


def test_long_sentences_end_at_a_clause() -> None:
    clause = "他沿着江边一直走到天亮，"
    assert shortened(clause * 20) == (clause * 13)[:-1] + "……"
    english = "he walked along the river and the wall " * 10
    assert LONGEST < len(shortened(english)) <= 2 * LONGEST + 2 and shortened(english).endswith(" …")
    assert shortened("一行\n两行。") == "一行 两行。"
