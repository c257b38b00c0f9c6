"""Where chapters begin: forms of headings, prose that begins like one, parts, numbers that are wrong, notes."""

import re
from pathlib import Path

import pytest

from tools.errors import InputError
from wenmai.ingestion.chapters.choice import ChapterChoice, heading_rows
from wenmai.ingestion.sources.decoding import read_bytes
from wenmai.ingestion.sources.loaders import LoadedSource, load_source

PROSE = "他没有再说话，江上的雾一直不散，渡口的人都回家去了。"
ENGLISH = "The fog did not lift, and nobody on the quay said a word."


def under(*headings: str) -> str:
    """Return a text in which a line of prose stands under each heading."""
    return "\n".join(f"{heading}\n{PROSE}第{at}次。" for at, heading in enumerate(headings))


def loaded(folder: Path, text: str, choice: ChapterChoice | None = None, name: str = "b.txt") -> LoadedSource:
    """Return what is read of a text."""
    (folder / name).write_text(text, encoding="utf-8")
    return load_source(folder / name, read_bytes, choice or ChapterChoice())


def places(source: LoadedSource) -> list[tuple[str, int]]:
    """Return the part (1, 2, …) and the number of each chapter."""
    return [(chapter.task_id.partition("#")[2] or "1", chapter.number) for chapter in source.chapters]


def titles(source: LoadedSource) -> list[str]:
    """Return the titles of the chapters."""
    return [chapter.title for chapter in source.chapters]


def numbers(text: str) -> list[tuple[str, int]]:
    """Read `1 2 #2 1` as the chapters 1 and 2 of part 1, and 1 of part 2."""
    part, found = "1", []
    for word in text.split():
        if word.startswith("#"):
            part = word[1:]
        else:
            found.append((part, int(word)))
    return found


@pytest.mark.parametrize(
    ("headings", "found"),
    [
        ("第一章 你是谁？/第二章 快跑！/第三章 信/第四章 他来了……", "1 2 3 4"),
        ("第四章 “家”/第五章 他说：“走！”/第六章 「灯」", "4 5 6"),
        ("第一回　甲乙丙丁戊己庚，子丑寅卯辰巳午。/第二回　金木水火土日月，东南西北中上下。", "1 2"),
        ("【第三章】再会/【第四章】别离", "3 4"),
        ("正文 第一章 雨/正文 第二章 云", "1 2"),
        ("第一卷 潮起第一章 雨/第一卷 潮起第二章 伞", "1 2"),
        ("卷一 第三章 山/卷一 第四章 水", "3 4"),
        ("《书名》第六章 桥/《书名》第七章 路", "6 7"),
        ("＃ 第２章 风/＃ 第３章 雪", "2 3"),
        ("〖第一章 雨〗/〖第二章 伞〗", "1 2"),
        ("**第一章 雨**/**第二章 伞**", "1 2"),
        ("正文卷 第1话 雨/正文卷 第2话 伞", "1 2"),
        ("第一章雨夜/第二章伞/第三章江上来客", "1 2 3"),
        ("第三章 “你……”/第四章 走吧。。。/第五章 谁？！", "3 4 5"),
        ("第一章 a/第二章 b/番外（一） 灯/番外（二） 海", "1 2 #2 1 2"),
        ("第一章 a/第二章 b/番外·雪/番外·灯", "1 2 #2 1 2"),
        ("第一章 a/第二章 b/番外Ⅰ 灯/番外Ⅱ 海", "1 2 #2 1 2"),
        ("第一章 a/第二章 b/特典：灯/特典：海", "1 2 #2 1 2"),
        ("第一 雨/第二 伞", "1 2"),
        ("一章 雨/二章 伞", "1 2"),
        ("1、雨/2、伞", "1 2"),
        ("（一）/（二）/（三）", "1 2 3"),
        ("12 雨/13 伞", "12 13"),
        ("001 雨夜/002 伞", "1 2"),
        ("壹 雨/贰 伞/叁 江", "1 2 3"),
        ("一/二", "1 2"),
        ("第一幕/第二幕", "1 2"),
        ("第一百章 雨/第一百零一章 伞", "100 101"),
        ("第一章 a/第二章 b/番外 第一章 灯/番外 第二章 海/番外三 山/番外篇：雪/外传 一", "1 2 #2 1 2 3 4 #3 1"),
        ("楔子/第一章 a/第二章 b/尾声", "0 1 2 3"),
        ("序/楔子/第一章 a/后记", "0 0 1 2"),
        ("第一章 a/番外 雪夜/第二章 b", "1 2 #2 1"),
        ("第一章 a/间章 雪夜/第二章 b/终章 灯", "1 2 2 3"),
        ("第一部 甲/第一章 a/第二部 乙/第二章 b", "1 #2 2"),
        ("上卷/第一章 a/下卷/第一章 b", "1 #2 1"),
        ("第一卷 甲/第二卷 乙", "1 2"),
    ],
)
def test_chinese_headings(tmp_path: Path, headings: str, found: str) -> None:
    assert places(loaded(tmp_path, under(*headings.split("/")))) == numbers(found)


@pytest.mark.parametrize(
    ("headings", "found"),
    [
        ("Chapter Twenty/Chapter Twenty One/Chapter Twenty Two/Chapter One Hundred and One", "20 21 22 101"),
        ("I. A LETTER/II. THE LAMP/III. HOME", "1 2 3"),
        ("THE FIRST CHAPTER/THE SECOND CHAPTER", "1 2"),
        ("THE FIRST CHAPTER/1/2", "1 2"),
        ("CHAPTER THE FIRST/CHAPTER THE TWENTY-FIRST", "1 21"),
        ("chapter.12/chapter.13", "12 13"),
        ("Chapter I: Fog/Chapter II - Rain", "1 2"),
        ("Ch. 1/Ch. 2", "1 2"),
        ("Ch 1 - Rain/Ch 2 - Fog", "1 2"),
        ("Vol.1 Ch.2 Rain/Vol.1 Ch.3 Fog", "2 3"),
        ("1/2/3", "1 2 3"),
        ("I/II/III", "1 2 3"),
        ("ONE/TWO/THREE", "1 2 3"),
        ("1. Fog/2. Rain", "1 2"),
        ("Prologue/Chapter 1/Chapter 2/Epilogue", "0 1 2 3"),
        ("Part One/Chapter 1/Chapter 2/Part Two/Chapter 1", "1 2 #2 1"),
        ("BOOK I/I/II/BOOK II/I/II", "1 2 #2 1 2"),
        ("Preface/Chapter One Hundred/Chapter One Hundred One", "0 100 101"),
    ],
)
def test_english_headings(tmp_path: Path, headings: str, found: str) -> None:
    text = "\n".join(f"{heading}\n{ENGLISH} {at}." for at, heading in enumerate(headings.split("/")))
    source = loaded(tmp_path, text)
    assert places(source) == numbers(found)
    assert all(str(at) in " ".join(one.text for one in source.chapters) for at in range(headings.count("/") + 1))


@pytest.mark.parametrize(
    "line",
    [
        "第一回见面的时候，老秦没有认出他",
        "第三节课上，她睡着了.",
        "第三章里写着他的名字，他没有看",
        "第三回合，他输了",
        "第二章 他读到这里，把书放下了，没有再看。",
        "第四话还没说完，天就亮了。",
        "Chapter and verse, he said",
        "Chapter 3 of the old book told of it",
        "introduction.",
        "1937年的冬天，雪下得很大。",
    ],
)
@pytest.mark.parametrize("blank", ["", "\n"])
def test_prose_that_begins_like_a_heading(tmp_path: Path, line: str, blank: str) -> None:
    rows = ["第一章 雨", PROSE, "第二章 匣", PROSE, line, "老秦只看了一眼木匣就走开了。", "第三章 江", PROSE]
    source = loaded(tmp_path, f"\n{blank}".join(rows))
    assert places(source) == numbers("1 2 3")
    assert line in source.chapters[1].text


def test_prose_in_an_english_book(tmp_path: Path) -> None:
    rows = [
        "Chapter 1",
        ENGLISH,
        "Chapter and verse, he said",
        ENGLISH,
        "Chapter 2 of it was long",
        "Chapter 2",
        ENGLISH,
    ]
    assert titles(loaded(tmp_path, "\n\n".join(rows))) == ["Chapter 1", "Chapter 2"]


@pytest.mark.parametrize(
    ("headings", "found", "odd"),
    [
        ("第一章 a/第三章 b/第二章 c/第三章 d/第四章 e", "1 3 2 3 4", "第 3 章重复"),
        ("第一章 a/第二章 b/第二章 c/第三章 d", "1 2 2 3", "第 2 章重复"),
        ("第一章 a/第二章 b/第二章 c/第四章 d", "1 2 3 4", "书中标为第 2 章，按位置是第 3 章"),
        ("第九章 a/第十章 b/第一章 c/第十二章 d", "9 10 11 12", "书中标为第 1 章，按位置是第 11 章"),
        ("第一章 a/第二章 b/第三章 c/第二章 d/第四章 e", "1 2 3 3 4", "书中标为第 2 章，按位置是第 3 章"),
        ("第一章 a/第二章 b/第五章 c", "1 2 5", "前面缺第 3、4 章"),
        ("第一章 a/第一章 b/第二章 c", "1 1 2", "第 1 章重复"),
        ("第十一章 a/第二十一章 b/第十三章 c", "11 12 13", "书中标为第 21 章，按位置是第 12 章"),
    ],
)
def test_wrong_numbers_stay_in_their_part(tmp_path: Path, headings: str, found: str, odd: str) -> None:
    source = loaded(tmp_path, under(*headings.split("/")))
    assert places(source) == numbers(found)
    assert titles(source) == headings.split("/")
    assert odd in "\n".join(source.odd)


def test_numbers_that_begin_again_for_good(tmp_path: Path) -> None:
    source = loaded(tmp_path, under("第一章 a", "第二章 b", "楔子", "第一章 c", "第二章 d", "第三章 e"))
    assert places(source) == numbers("1 2 #2 0 1 2 3")
    assert not source.odd


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"第一章\n雨夜\n{PROSE}\n第二章\n江上\n{PROSE}", ["第一章 雨夜", "第二章 江上"]),
        (
            f"CHAPTER I\n\nThe Fog\n\n{ENGLISH}\n\nCHAPTER II\n\nRain\n\n{ENGLISH}",
            ["CHAPTER I: The Fog", "CHAPTER II: Rain"],
        ),
        (f"目录\n雨夜\n伞\n\n雨夜\n{PROSE}\n伞\n{PROSE}", ["雨夜", "伞"]),
        (f"目录\n第一章 甲…………1\n第二章 乙…………9\n\n第一章 甲\n{PROSE}\n第二章 乙\n{PROSE}", ["第一章 甲", "第二章 乙"]),
        (
            f"第一章 甲\n第二章 乙\n\n献给母亲，她在等我。\n\n第一章 甲\n{PROSE}\n第二章 乙\n{PROSE}",
            ["第一章 甲", "第二章 乙"],
        ),
        (
            f"第一章 甲\n第一节 一\n{PROSE}\n第二节 二\n{PROSE}\n第二章 乙\n第一节 三\n{PROSE}",
            ["第一章 甲", "第二章 乙"],
        ),
        (f"第一章 甲\n一\n{PROSE}\n二\n{PROSE}\n第二章 乙\n一\n{PROSE}", ["第一章 甲", "第二章 乙"]),
        (f"书名\n第一章　　雨夜\n{PROSE}\n第二章　　伞\n{PROSE}", ["第一章 雨夜", "第二章 伞"]),
    ],
)
def test_titles(tmp_path: Path, text: str, found: list[str]) -> None:
    assert titles(loaded(tmp_path, text)) == found


def test_long_english_titles_on_the_line_below(tmp_path: Path) -> None:
    """STO-22"""
    names = [
        "I Meet the Captain of the Long Ship",
        "Mr. Henley Obtains His Dinner",
        "Paris: September, 1792",
        "Black Dog Appears and Disappears",
    ]
    rows = zip(("I", "II", "III", "IV"), names, strict=True)
    text = "\n".join(f"{number}\n{name}\n{ENGLISH}\n{ENGLISH}\n" for number, name in rows)

    found = titles(loaded(tmp_path, f"Part I\nThe Old Harbour\n\n{text}"))

    assert [title.partition(": ")[2] for title in found] == names


def test_a_section_below_a_chapter_is_no_title(tmp_path: Path) -> None:
    """STO-22"""
    text = "\n".join(f"Chapter {number}\nI\n{ENGLISH}\n{ENGLISH}\n" for number in ("I", "II", "III"))

    assert titles(loaded(tmp_path, text)) == ["Chapter I", "Chapter II", "Chapter III"]


def test_what_stands_under_a_volume_is_kept(tmp_path: Path) -> None:
    text = f"第一卷 甲\n这一卷讲从前的事。\n第一章 a\n{PROSE}\n第二卷 乙\n{PROSE * 4}\n第一章 b\n{PROSE}"
    source = loaded(tmp_path, text)
    assert places(source) == numbers("1 #2 0 1")
    assert source.chapters[0].text.startswith("这一卷讲从前的事。")
    assert [one.task_name for one in source.chapters] == ["第一卷 甲", "第二卷 乙", "第二卷 乙"]


NOTES = [
    ("（本章完）", "end"),
    ("（未完待续）", "end"),
    ("【求月票！今天还差二十张】", "author"),
    ("PS：今天两更！求月票，求推荐票！", "author"),
    ("（作者注：章节号标错了。）", "author"),
    ("作者的话：写哭了。", "author"),
    ("译者按：本章有删节。", "translator"),
    ("（译注：此处有双关。）", "translator"),
    ("T/N: thanks for reading", "translator"),
    ("[Illustration: The house on the quay]", "picture"),
    ("- 12 -", "page"),
    ("第 2 页 共 9 页", "page"),
    ("本书首发网站 www.example.com，请收藏本站", "site"),
]


@pytest.mark.parametrize(("line", "kind"), NOTES)
def test_notes_are_kept_apart(tmp_path: Path, line: str, kind: str) -> None:
    source = loaded(tmp_path, f"第一章 甲\n{PROSE}\n{line}\n\n第二章 乙\n{PROSE}")
    assert [(note.kind, note.line, note.text) for note in source.chapters[0].notes] == [(kind, 3, line)]
    assert [chapter.text for chapter in source.chapters] == [PROSE, PROSE]


@pytest.mark.parametrize(
    "line",
    [
        "（大家都笑了，没有人说话。）",
        "“求月票！”他喊道，可是没有人理他。",
        "PS：记得带伞。",
        "P.S. Bring the lamp, and do not tell Anna.",
        "公告",
        "他把书翻到第 12 页。",
        "[2] 是他的号码。",
        "毕业前他四处求推荐，教授只给了他一封信。",
        "学生们去求收藏家开门，收藏家没有理会。",
        "他说：“求月票的人都走了。”",
    ],
)
def test_story_that_looks_like_a_note(tmp_path: Path, line: str) -> None:
    rows = ["第一章 甲", PROSE, PROSE, line, *[PROSE] * 5, "第二章 乙", PROSE]
    source = loaded(tmp_path, "\n".join(rows))
    assert line in source.chapters[0].text
    assert not source.chapters[0].notes


def test_a_chapter_of_notes_alone_is_odd(tmp_path: Path) -> None:
    source = loaded(tmp_path, f"第一章 甲\n{PROSE}\n第二章 请假\n今天停更，求月票！\n第三章 乙\n{PROSE}（未完待续）")
    assert [chapter.text for chapter in source.chapters] == [PROSE, PROSE]
    assert "第 3 行“第二章 请假”：标题下没有正文" in source.odd


def test_a_table_of_contents_is_one_oddity(tmp_path: Path) -> None:
    """STO-22: lines of it that look like headings are told of together, one by itself as what it is."""
    contents = [f"Chapter {n}: The Road {n} ..... {n * 10}" for n in range(1, 25)]
    chapters = [f"Chapter {n}\n\n{PROSE * 20}" for n in range(1, 25)]
    source = loaded(tmp_path, "\n\n".join(["My Book", *contents, *chapters, "Chapter 25", "Chapter 26", PROSE * 20]))
    first = "第 3–49 行有 24 个标题下没有正文，像是目录；第一个是“Chapter 1: The Road 1 ..... 10”"
    assert [one for one in source.odd if "没有正文" in one] == [first, "第 147 行“Chapter 25”：标题下没有正文"]


@pytest.mark.parametrize(
    "headings", [("第壹章 山", "第貳章 水", "第參章 人"), ("第一章 山", "VIP第二章 水", "VIP第三章 人")]
)
def test_more_shapes_of_headings(tmp_path: Path, headings: tuple[str, ...]) -> None:
    source = loaded(tmp_path, "\n".join(f"{heading}\n{PROSE}" for heading in headings))
    assert [chapter.number for chapter in source.chapters] == [1, 2, 3]


@pytest.mark.parametrize(
    ("headings", "found"),
    [
        ("1914/1915/1918", ["1914", "1915", "1918"]),
        ("一九一四年/一九一五年", ["一九一四年", "一九一五年"]),
        ("1914年 春/1914年 秋", ["1914年 春", "1914年 秋"]),
        ("1914/1918/1915", [""]),
        ("- 1 -/- 2 -/- 3 -", ["1", "2", "3"]),
        ("— 2 —/— 3 —/— 4 —/— 5 —/— 6 —", ["2", "3", "4", "5", "6"]),
        ("* 1 */* 2 */* 3 *", ["1", "2", "3"]),
        ("- I -/- II -/- III -", ["I", "II", "III"]),
        ("- 1 -/- 2 -", [""]),
        ("-- 第一章 雨 --/-- 第二章 风 --", ["第一章 雨", "第二章 风"]),
    ],
)
def test_years_and_numbers_between_marks(tmp_path: Path, headings: str, found: list[str]) -> None:
    blocks = (f"{heading}\n\n{PROSE}\n\n" for heading in headings.split("/"))
    assert titles(loaded(tmp_path, "".join(blocks))) == found


@pytest.mark.parametrize("mark", ["- {} -", "— {} —", "{}"])
@pytest.mark.parametrize("first", [1, 12, 1912])
def test_numbers_of_pages_inside_sentences(tmp_path: Path, mark: str, first: int) -> None:
    pages = "\n\n".join(f"{PROSE[at:]}{PROSE[:at]}\n\n{mark.format(first + at)}" for at in range(6))
    source = loaded(tmp_path, pages)
    assert titles(source) == [""] and len(source.chapters[0].notes) == 6


def test_years_in_chapters_and_in_prose_are_no_chapters(tmp_path: Path) -> None:
    chapters = "\n\n".join(f"第{at}章 雨\n\n{PROSE}\n\n{1910 + at}\n\n{PROSE}" for at in (1, 2))
    assert titles(loaded(tmp_path, chapters)) == ["第1章 雨", "第2章 雨"]
    assert titles(loaded(tmp_path, f"{PROSE}\n\n1914\n\n{PROSE}\n\n1915\n\n{PROSE}")) == [""]


def test_the_title_in_front_of_a_text(tmp_path: Path) -> None:
    head = "Title: The Fog Harbor\n\nAuthor: Ann Lee\n\n*** START OF THE PROJECT GUTENBERG EBOOK ***\n\n"
    source = loaded(tmp_path, f"{head}CHAPTER 1\n\nIt began.\n\nCHAPTER 2\n\nIt went on.\n")
    (book,) = source.books.values()
    assert (book.title, book.authors) == ("The Fog Harbor", ("Ann Lee",))


def test_notes_inside_a_line_and_footnotes(tmp_path: Path) -> None:
    text = (
        f"第一章 甲\n他说：“好吧（译者注：原文为法语）。”她去了临安①，没有回来。\n{PROSE}\n\n"
        f"注释：\n① 临安：今杭州。\n第二章 乙\n{PROSE}"
    )
    first = loaded(tmp_path, text).chapters[0]
    assert first.text == f"他说：“好吧。”她去了临安，没有回来。\n{PROSE}"
    assert [(note.kind, note.text) for note in first.notes] == [
        ("translator", "（译者注：原文为法语）"),
        ("footnote", "注释："),
        ("footnote", "① 临安：今杭州。"),
    ]


def test_footnote_over_several_lines(tmp_path: Path) -> None:
    note = "[Footnote 1: A town,\nnow gone.]"
    rows = ["Chapter 1", "It began in the fog[1].", note, "She walked on.", "Chapter 2", "The end came."]
    first = loaded(tmp_path, "\n\n".join(rows)).chapters[0]
    assert first.text == "It began in the fog[1].\n\nShe walked on."
    assert [one.text for one in first.notes] == [note]


def test_page_numbers_are_no_chapters(tmp_path: Path) -> None:
    pages = "".join(f"{PROSE[:13]}\n{at}\n{PROSE[13:]}\n" for at in range(1, 6))
    source = loaded(tmp_path, f"{pages}")
    assert places(source) == numbers("1")
    assert [note.text for note in source.chapters[0].notes] == ["1", "2", "3", "4", "5"]
    assert not re.search(r"\d", source.chapters[0].text)


def test_the_frame_of_project_gutenberg(tmp_path: Path) -> None:
    text = (
        "The Project Gutenberg eBook of The Lamp\n\n*** START OF THE PROJECT GUTENBERG EBOOK THE LAMP ***\n\n"
        "Produced by A. B.\n\nTHE LAMP\n\nTO ANNA\n\nMy dear Anna, you know it all.\n\n"
        "CONTENTS\n\n 1. The Fog\n 2. The Rain\n\n"
        f"CHAPTER I\n\nThe Fog\n\n{ENGLISH}\n\nCHAPTER II\n\nThe Rain\n\n{ENGLISH}\n\n"
        "*** END OF THE PROJECT GUTENBERG EBOOK THE LAMP ***\n\nSection 1. General Terms of Use."
    )
    source = loaded(tmp_path, text)
    assert [(one.title, one.text) for one in source.chapters] == [
        ("CHAPTER I: The Fog", ENGLISH),
        ("CHAPTER II: The Rain", ENGLISH),
    ]
    kinds = [note.kind for note in source.chapters[0].notes]
    assert kinds == ["licence", "front", "contents", "licence"]


def test_the_order_of_chapters_with_one_number(tmp_path: Path) -> None:
    source = loaded(tmp_path, under("第一章 a", "第二章 b", "第二章 c"))
    assert [(one.number, one.copy, one.order) for one in source.chapters] == [(1, 0, 0), (2, 0, 1), (2, 1, 2)]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (r"^☆ (\d+)", [(3, "☆ 3"), (4, "☆ 4")]),
        ("^☆", [(3, "3"), (4, "4")]),
        ("none", [(1, "")]),
    ],
)
def test_headings_by_a_pattern(tmp_path: Path, pattern: str, found: list[tuple[int, str]]) -> None:
    source = loaded(tmp_path, under("☆ 3", "☆ 4"), ChapterChoice(pattern))
    assert [(one.number, one.title) for one in source.chapters] == found


def test_headings_by_the_table_of_contents(tmp_path: Path) -> None:
    text = f"目录\n雨夜\n伞\n\n第一章 雨夜\n{PROSE}\n第二章 不在目录里\n{PROSE}\n伞\n{PROSE}"
    with_rules = loaded(tmp_path, text)
    assert titles(with_rules) == ["第一章 雨夜", "第二章 不在目录里"]
    text = f"目录\n雨夜\n伞\n\n雨夜\n{PROSE}\n第二章 不在目录里\n{PROSE}\n伞\n{PROSE}"
    assert titles(loaded(tmp_path, text, ChapterChoice("toc"))) == ["雨夜", "伞"]


@pytest.mark.parametrize(
    ("pattern", "reason"), [("(", "正则表达式"), ("不存在的行", "没有找到标题"), ("toc", "没有找到标题")]
)
def test_a_choice_that_fits_nothing(tmp_path: Path, pattern: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        loaded(tmp_path, under("第一章 a"), ChapterChoice(pattern))


def test_a_saved_list_divides_as_the_rules_did(tmp_path: Path) -> None:
    story = f"第一卷 起\n第一章 甲\n{PROSE}\n第二卷 落\n第二章 乙\n{PROSE}\n番外 丙\n{PROSE}"
    text = f"目录\n第一章 甲\n第二章 乙\n番外 丙\n\n{story}"
    first = loaded(tmp_path, text)
    rows = heading_rows(first.chapters)
    assert rows == ["== 第一卷 起", "第一章 甲", "== 第二卷 落", "第二章 乙", "番外 丙"]
    again = loaded(tmp_path, text, ChapterChoice(headings=tuple(rows)))
    assert [(one.task_id, one.number, one.title, one.text) for one in again.chapters] == [
        (one.task_id, one.number, one.title, one.text) for one in first.chapters
    ]
    fewer = loaded(tmp_path, text, ChapterChoice(headings=("第一章 甲", "番外 丙")))
    assert titles(fewer) == ["第一章 甲", "番外 丙"]
    with pytest.raises(InputError, match="第九章"):
        loaded(tmp_path, text, ChapterChoice(headings=("第一章 甲", "第九章")))


def test_a_list_renames_chapters_and_names_volumes(tmp_path: Path) -> None:
    """A volume that no line bears begins a part all the same; a title stays with its own of several equal headings."""
    text = f"一\n{PROSE}\n二\n{PROSE}\n一\n{PROSE}\n"
    rows = ("== 上篇", "一\t雨夜", "二", "== 下篇", "一\t 归来 之日")
    source = loaded(tmp_path, text, ChapterChoice(headings=rows))
    assert [(one.volume, one.title, one.printed) for one in source.chapters] == [
        ("上篇", "雨夜", "一"),
        ("上篇", "二", "二"),
        ("下篇", "归来 之日", "一"),
    ]
    assert len({one.task_id for one in source.chapters}) == 2


def test_a_long_text_without_headings_is_odd(tmp_path: Path) -> None:
    assert "没有识别出章节标题" in "".join(loaded(tmp_path, PROSE * 1000).odd)
    assert not loaded(tmp_path, PROSE).odd
