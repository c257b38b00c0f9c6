"""Chapters, notes and the guard through `wenmai ingest`, `ask`, `libraries` and `notes`: reported faults and kin."""

import re
from pathlib import Path

import pytest

from tests.integration.cli_story import Cli

PROSE = (
    "周屿在雨里捡到一只木匣。",
    "木匣里有一封没有署名的信。",
    "周屿把信交给了渡口的老秦。",
    "老秦把信烧了，什么也没有说。",
    "写信的人是老秦的女儿秦晚。",
)
REFUSAL = "未能找到相关信息"


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path)


def written(cli: Cli, text: str, name: str = "b.txt") -> str:
    (cli.folder / name).write_text(text, encoding="utf-8")
    return name


def under(*headings: str) -> str:
    """Return a text with a line of prose of its own under each heading."""
    return "\n".join(f"{heading}\n{PROSE[at % len(PROSE)]}" for at, heading in enumerate(headings))


def ingested(cli: Cli, text: str, *options: str) -> tuple[str, str]:
    """Ingest a text and return what was printed on standard output and on standard error."""
    done = cli.run("ingest", written(cli, text), "--library", "b", *options)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def asked(cli: Cli, question: str, *options: str) -> str:
    done = cli.run("ask", question, "--library", "b", *options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def previewed(cli: Cli, text: str, *options: str) -> str:
    done = cli.run("ingest", written(cli, text), "--preview", *options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def chapters_in(shown: str) -> list[str]:
    """Return number and title of each chapter of a preview; a part begins with #."""
    rows = re.findall(r"^(?:第 (\d+) 部 .*|  第 \d+ 行  \[(\d+)\] (.+?)  \d+ 字)$", shown, re.MULTILINE)
    return [f"#{part}" if part else f"{number} {title}" for part, number, title in rows]


def test_a_heading_with_a_question_mark_keeps_the_guard(cli: Cli) -> None:
    """Report of koodo-reader 759 and lint-md 57: chapter 4 was told as the third."""
    text = (
        "第一章 你是谁？\n周屿在雨里捡到一只木匣。他没有再说话，江上的雾一直不散。\n"
        "第二章 快跑！\n木匣里有一封没有署名的信。他没有再说话，江上的雾一直不散。\n"
        "第三章 信\n周屿把信交给了渡口的老秦。他没有再说话，江上的雾一直不散。\n"
        "第四章 他来了……\n老秦把信烧了，说写信的人是他的女儿秦晚。他没有再说话，江上的雾一直不散。"
    )
    assert "4 章" in ingested(cli, text)[0]
    hidden = asked(cli, "写信的人是谁？", "--as-of-chapter", "3")
    assert REFUSAL in hidden and "秦晚" not in hidden
    shown = asked(cli, "写信的人是谁？", "--as-of-chapter", "4")
    assert "秦晚" in shown and "第四章 他来了……" in shown


def test_prose_that_begins_like_a_heading_opens_no_part(cli: Cli) -> None:
    """Report of koodo-reader 1500: the guard hid chapter 3, which lay in a part of its own."""
    text = (
        "第一章 雨\n周屿在雨里捡到一只木匣。\n第二章 匣\n木匣里有一封没有署名的信。\n"
        "第一回见面的时候，老秦没有认出他\n老秦只看了一眼木匣就走开了\n"
        "第三章 江\n老秦承认写信的人是他的女儿秦晚，她在江对岸教书。"
    )
    assert "3 章" in ingested(cli, text)[0]
    assert "b#2" not in cli.run("libraries").stdout
    assert "秦晚" in asked(cli, "写信的人是谁？", "--as-of-chapter", "3")


def test_a_misnumbered_chapter_stays_in_its_part(cli: Cli) -> None:
    """Report of Light-Ink 42: the chapters behind a repeated number were hidden as a second part."""
    out, err = ingested(cli, under("第一章 a", "第三章 b", "第二章 c", "第三章 d", "第四章 e"))
    assert "5 章" in out and "共 2 部" not in out
    assert "第 3 章重复" in err
    assert "b#2" not in cli.run("libraries").stdout
    assert "秦晚" in asked(cli, "写信的人是谁？", "--as-of-chapter", "4")
    assert "秦晚" not in asked(cli, "写信的人是谁？", "--as-of-chapter", "3")
    assert "没有变化" in ingested(cli, under("第一章 a", "第三章 b", "第二章 c", "第三章 d", "第四章 e"))[0]


def test_side_stories_are_a_part_of_their_own(cli: Cli) -> None:
    """Report of readest 4016: a side story became chapter 3, others were lost."""
    headings = ("第一章 a", "第二章 b", "番外 第一章 灯", "番外 第二章 海", "番外三 山")
    out, _ = ingested(cli, under(*headings))
    assert "共 2 部：b（2 章），番外（3 章）" in out
    side = asked(cli, "番外第一章讲了什么？")
    assert "老秦" in side and "捡到" not in side
    assert "捡到" in asked(cli, "第一章讲了什么？")


VOLUMES = ("第一卷 甲", "第一章 a", "第二章 b", "第二卷 乙", "第三章 c", "第四章 d", "第五章 e")


def test_a_guard_by_chapter_alone_counts_on_over_volumes(cli: Cli) -> None:
    rows = iter(PROSE)
    text = "\n".join(one if "卷" in one else f"{one}\n{next(rows)}" for one in VOLUMES)
    assert "共 2 部：第一卷 甲（2 章），第二卷 乙（3 章）" in ingested(cli, text)[0]
    assert "秦晚" in asked(cli, "写信的人是谁？", "--as-of-chapter", "5")
    assert "秦晚" not in asked(cli, "写信的人是谁？", "--as-of-chapter", "4")
    assert "老秦" in asked(cli, "周屿把信交给了谁？", "--as-of-chapter", "4")
    assert REFUSAL in asked(cli, "周屿把信交给了谁？", "--as-of-chapter", "4", "--as-of-part", "1")


@pytest.mark.parametrize(
    ("headings", "found"),
    [
        (("【第三章】再会", "【第四章】雨"), ["3 第三章 再会", "4 第四章 雨"]),
        (("正文 第一章 雨", "正文 第二章 云"), ["1 第一章 雨", "2 第二章 云"]),
        (("第一卷 潮起第二章 伞", "第一卷 潮起第三章 山"), ["2 第二章 伞", "3 第三章 山"]),
        (("卷一 第三章 山", "卷一 第四章 水"), ["3 第三章 山", "4 第四章 水"]),
        (("《书名》第六章 桥", "《书名》第七章 路"), ["6 第六章 桥", "7 第七章 路"]),
        (("＃ 第２章 风", "＃ 第３章 雪"), ["2 第２章 风", "3 第３章 雪"]),
        (("Chapter Twenty", "Chapter Twenty One"), ["20 Chapter Twenty", "21 Chapter Twenty One"]),
        (("I. A LETTER", "II. THE LAMP"), ["1 I. A LETTER", "2 II. THE LAMP"]),
        (("1", "2"), ["1 1", "2 2"]),
    ],
)
def test_forms_of_headings(cli: Cli, headings: tuple[str, ...], found: list[str]) -> None:
    """Reports of open-ai-canvas 27 and book-to-skill 28."""
    assert chapters_in(previewed(cli, under(*headings))) == ["#1", *found]


BOOK = (
    "《木匣》\n作者：无名\n\n目录\n第一章 雨\n第二章 匣\n\n第一章 雨\n"
    f"{PROSE[0]}\n（本章完）\nPS：求月票！\n第二章 匣\n他读《水经注》[1]。{PROSE[1]}\n第三章里没有她的名字，他想\n\n"
    "[1] 《水经注》：北魏郦道元所著。\n"
)


def test_a_preview_shows_chapters_and_what_is_left_out_and_writes_nothing(cli: Cli) -> None:
    shown = previewed(cli, BOOK)
    assert chapters_in(shown) == ["#1", "1 第一章 雨", "2 第二章 匣"]
    for text in (
        "书前页：《木匣》",
        "目录：目录",
        "完结标记：（本章完）",
        "作者的话：PS：求月票！",
        "脚注：[1] 《水经注》",
    ):
        assert text in shown
    assert "第三章里没有她的名字，他想（像正文）" in shown
    assert "还没有资料库" in cli.run("libraries").stdout
    assert chapters_in(previewed(cli, BOOK, "--as-of-chapter", "1")) == ["#1", "1 第一章 雨"]


def test_a_recap_is_a_command(cli: Cli) -> None:
    """STO-62: chapter by chapter; under a guard as far as was read, and it says which place that is."""
    story = "第一章 渡口\n\n阿满在渡口卖茶，等她的哥哥回来。\n\n第二章 过河\n\n周老三撑船送阿满过河，天已经黑了。\n"
    assert cli.run("ingest", written(cli, story), "--library", "r").returncode == 0
    whole = cli.run("recap", "--library", "r").stdout
    assert "不是概括" in whole and "阿满在渡口卖茶" in whole and "第二章 过河\n  周老三撑船送阿满过河" in whole
    read = cli.run("recap", "--library", "r", "--as-of-chapter", "1").stdout
    assert "截至第 1 部第 1 章" in read and "阿满在渡口卖茶" in read and "过河" not in read


def test_notes_are_counted_never_quoted_and_readable(cli: Cli) -> None:
    out, _ = ingested(cli, BOOK)
    assert "不是正文、另存的：" in out and "脚注 1" in out and "主要人物" in out
    answer = asked(cli, "《水经注》是谁写的？")
    assert "郦道元" not in answer
    notes = cli.run("notes", "--library", "b").stdout
    assert "北魏郦道元所著" in notes and "求月票" in notes
    assert "郦道元" not in cli.run("notes", "--library", "b", "--as-of-chapter", "1").stdout
    assert "求月票" not in cli.run("notes", "--library", "b", "--kind", "footnote").stdout
    assert cli.run("notes", "--library", "b", "--kind", "x").returncode == 2
    cli.run("delete", "b", "--yes")


def test_headings_are_chosen_by_pattern_contents_and_list(cli: Cli) -> None:
    text = under("☆ 3 雨", "☆ 4 匣")
    assert "没有标题" not in previewed(cli, text, "--chapters", r"^☆ (\d+)")
    assert chapters_in(previewed(cli, text, "--chapters", r"^☆ (\d+)")) == ["#1", "3 ☆ 3 雨", "4 ☆ 4 匣"]
    assert "1 章，1 部" in previewed(cli, BOOK, "--chapters", "none")
    assert "标题清单已写入" in previewed(cli, BOOK, "--save-headings", "list.txt")
    rows = (cli.folder / "list.txt").read_text("utf-8").splitlines()
    assert rows == ["第一章 雨", "第二章 匣"]
    (cli.folder / "list.txt").write_text("第二章 匣\n", encoding="utf-8")
    out, _ = ingested(cli, BOOK, "--headings", "list.txt")
    assert "2 章" not in out
    done = cli.run("ingest", "b.txt", "--library", "b", "--chapters", "(")
    assert done.returncode == 2 and "正则表达式" in done.stderr


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ((), "--library"),
        (("--library", "b", "--save-headings", "x"), "--preview"),
        (("--preview", "--chapters", "toc", "--headings", "b.txt"), "只能给一个"),
    ],
)
def test_options_that_do_not_fit(cli: Cli, options: tuple[str, ...], reason: str) -> None:
    done = cli.run("ingest", written(cli, under("第一章 a")), *options)
    assert done.returncode == 2 and reason in done.stderr
