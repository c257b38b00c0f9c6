"""How a reader calls the place of a quote: book, part and chapter, in the language of the question."""

import pytest

from state.context import Language
from state.schema import EvidenceKind
from tools.evidence import blank
from tools.language import chinese_number, language_of
from tools.text.books import BookPart, books_of, label

TWO = {
    1: BookPart("雾港纪事", number=1, parts=2, name="第一部 灯灭"),
    2: BookPart("雾港纪事", number=2, parts=2, name="第二部 潮生"),
}


def shown(book: BookPart, title: str | None, chapter: int | None, language: Language) -> str:
    piece = blank("passage", "id", "…", source="b", part=1, chapter=chapter, title=title)
    return label(piece, {1: book}, language)


@pytest.mark.parametrize(
    ("book", "title", "chapter", "zh", "en"),
    [
        (TWO[2], "第七章 潮生", 7, "《雾港纪事》第二部 第七章 潮生", "雾港纪事, Part 2, Chapter 7: 潮生"),
        (
            BookPart("The Ferry", ("Ann Lee",), 2, 2, "PART TWO. The Sea"),
            "Chapter 7: The Tide",
            7,
            "Ann Lee《The Ferry》第二部 第七章 The Tide",
            "Ann Lee, The Ferry, PART TWO, Chapter 7: The Tide",
        ),
        (
            BookPart("Title", number=2, parts=2),
            "The Tide",
            7,
            "《Title》第二部 第七章 The Tide",
            "Title, Part 2, Chapter 7: The Tide",
        ),
        (BookPart("b"), "第一章 雨", 1, "《b》第一章 雨", "b, Chapter 1: 雨"),
        (BookPart("b"), "第三回　甲乙，丙丁。", 3, "《b》第三回　甲乙，丙丁。", "b, Chapter 3: 甲乙，丙丁。"),
        (
            BookPart("潮", name="第二卷 潮落", number=2, parts=2),
            "归来",
            1,
            "《潮》第二卷 第一章 归来",
            "潮, Part 2, Chapter 1: 归来",
        ),
        (BookPart("b", name="番外", number=2, parts=2), "番外一 灯", 1, "《b》番外一 灯", "b, 番外一 灯"),
        (BookPart("全集", name="上", parts=3), "", 12, "《全集》上 第十二章", "全集, 上, Chapter 12"),
        (BookPart("b"), "楔子", 0, "《b》楔子", "b, 楔子"),
        (BookPart("b"), "", 0, "《b》", "b"),
        (BookPart("b"), "II. THE LAMP", 2, "《b》II. THE LAMP", "b, II. THE LAMP"),
        (BookPart("b"), "【第三章】再会", 3, "《b》【第三章】再会", "b, 【第三章】再会"),
        (BookPart("b"), "CHAPTER TWENTY-ONE", 21, "《b》第二十一章", "b, CHAPTER TWENTY-ONE"),
        (BookPart("《木匣》"), "1、雨", 1, "《木匣》1、雨", "木匣, 1、雨"),
    ],
)
def test_the_label_of_a_chapter(book: BookPart, title: str, chapter: int, zh: str, en: str) -> None:
    assert (shown(book, title, chapter, "zh"), shown(book, title, chapter, "en")) == (zh, en)


@pytest.mark.parametrize("kind", ["document", "property"])
def test_what_is_no_story_is_named_by_its_source(kind: EvidenceKind) -> None:
    piece = blank(kind, "id", "…", source="handbook.md", part=1, location="报销")
    assert label(piece, TWO, "zh") == "handbook.md · 报销"
    assert label(blank("memory", "m1", "…"), TWO, "zh") == "m1"


def test_records_of_a_graph_file_stand_in_the_book_of_their_part() -> None:
    piece = blank("relation", "id", "…", source="relations", part=2, chapter=3, title="第三章 蓝线")
    assert label(piece, TWO, "zh") == "《雾港纪事》第二部 第三章 蓝线"


def test_libraries_without_noted_books_call_them_by_title_or_file() -> None:
    alone = books_of([("书", 1), ("书#2", 2)], {}, "三国")
    assert alone == {1: BookPart("三国", (), 1, 2), 2: BookPart("三国", (), 2, 2)}
    several = books_of([("甲", 1), ("乙", 2), ("甲#2", 3)], {}, "乙")
    assert [(book.title, book.number) for book in several.values()] == [("甲", 1), ("乙", 1), ("甲", 2)]
    noted = {"乙": {"title": "潮汐集", "authors": ["林溪"], "number": 1, "parts": 1, "name": ""}}
    assert books_of([("甲", 1), ("乙", 2)], noted, "乙")[2] == BookPart("潮汐集", ("林溪",))


@pytest.mark.parametrize(
    ("number", "words"),
    [(7, "七"), (10, "十"), (12, "十二"), (20, "二十"), (105, "一百零五"), (1010, "一千零一十"), (0, "0")],
)
def test_numbers_in_chinese(number: int, words: str) -> None:
    assert chinese_number(number) == words


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("What does 「风停即返」 mean?", "en"),
        ("Who says “你好”？", "en"),
        ("Who is 秦晚?", "en"),
        ("《Emma》的作者是谁？", "zh"),
        ("Dumbledore是谁？", "zh"),
        ("Elizabeth和Darcy的关系", "zh"),
        ("秦晚", "zh"),
        ("“秦晚”", "zh"),
        ("野比のび太是谁？", "zh"),
        ("船の名は何ですか？", "en"),
        ("1984？", None),
        ("", None),
    ],
)
def test_the_language_of_a_question_is_not_that_of_what_it_quotes(question: str, language: str | None) -> None:
    assert language_of(question) == language
