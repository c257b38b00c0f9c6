"""The spoiler guard of commands that show a library: what it hides, and that they say which part it means."""

import json

import pytest

from tests.integration.cli_story import Cli

BOOK = """第一部 江上

第一章 雨
周屿在雨里捡到一只木匣。江上的雾一直不散，渡口没有人。

第二章 匣
周屿打开木匣，木匣里有一封没有署名的信，信纸已经发黄。

第三章 江
周屿把信交给了渡口的老秦，老秦看了很久，什么也没有说。

第二部 城里

第一章 灯
写信的人是老秦的女儿秦晚，她在江对岸的城里教书。

第二章 火
秦晚的学堂起了火，顾长风从火里救出了她，自己瞎了一只眼睛。
"""
LATER = ("秦晚", "顾长风", "城里", "第一章 灯", "第二章 火", "b#2")
ALIASES = {"mention": {"周屿": ["小屿"], "老秦": [], "秦晚": ["晚儿"], "顾长风": []}}
GUARD = ("--as-of-chapter", "2")


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A folder with the book as library b, ingested under the guard."""
    cli = Cli(tmp_path_factory.mktemp("guard"))
    (cli.folder / "b.txt").write_text(BOOK, encoding="utf-8")
    (cli.folder / "aliases.json").write_text(json.dumps(ALIASES, ensure_ascii=False), encoding="utf-8")
    shown = said(cli, "ingest", "b.txt", "--library", "b", "--aliases", "aliases.json", *GUARD)
    assert "已读到的部分有 2 章，2 段" in shown and "周屿" in shown
    hides(shown)
    return cli


def said(cli: Cli, *arguments: str, code: int = 0) -> str:
    done = cli.run(*arguments)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def hides(shown: str, part: int = 1, chapter: int = 2) -> None:
    """Check that a text says which part its guard means, and nothing that lies behind it."""
    assert f"防剧透：内容截至第 {part} 部第 {chapter} 章" in shown
    assert not [word for word in LATER if word in shown]


def test_lists_of_entities_and_libraries(cli: Cli) -> None:
    """STO-19: names, aliases, sources and counts are those that the reader knows."""
    hides(said(cli, "entities", "list", "-l", "b", *GUARD))
    whole = said(cli, "entities", "list", "-l", "b")
    assert "晚儿" in whole and "防剧透" not in whole
    later = said(cli, "entities", "list", "-l", "b", "--as-of-chapter", "1", "--as-of-part", "2")
    assert "秦晚" in later and "顾长风" not in later
    guarded = said(cli, "libraries", *GUARD)
    hides(guarded)
    row, whole_row = (
        next(line for line in text.splitlines() if " b " in line) for text in (guarded, said(cli, "libraries"))
    )
    assert [cell.strip() for cell in row.split("│")][4:6] == ["2", "2"]
    assert [cell.strip() for cell in whole_row.split("│")][4:6] == ["5", "5"]


def test_a_preview(cli: Cli) -> None:
    shown = said(cli, "ingest", "b.txt", "--preview", *GUARD)
    hides(shown)
    assert "b.txt：2 章，1 部" in shown and "第二章 匣" in shown
    later = said(cli, "ingest", "b.txt", "--preview", "--as-of-chapter", "1", "--as-of-part", "2")
    assert "第一章 灯" in later and "第二章 火" not in later


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        (("entities", "list", "-l", "b", "--as-of-part", "2"), "--as-of-chapter"),
        (("libraries", "--as-of-chapter", "-1"), "不能小于 0"),
        (("trace", "latest", "--as-of-part", "2"), "--as-of-chapter"),
        (("ingest", "b.txt", "--preview", "--save-headings", "x", *GUARD), "--as-of-chapter"),
        (("ingest", "b.txt", "-l", "b", "--estimate", *GUARD), "--as-of-chapter"),
        (("memory", "list", *GUARD), "--library"),
    ],
)
def test_a_guard_that_cannot_be(cli: Cli, command: tuple[str, ...], problem: str) -> None:
    assert problem in said(cli, *command, code=2)


def test_a_trace_of_a_later_reader_shows_its_question_alone(cli: Cli) -> None:
    """S003-26 STO-19: the answer, its evidence, calls and what the question was taken for stay hidden."""
    asked = ("ask", "写信的人是谁？", "-l", "b")
    for guard in ((), ("--as-of-chapter", "1", "--as-of-part", "2")):
        assert "秦晚" in said(cli, *asked, *guard)
        shown = said(cli, "trace", "latest", *GUARD)
        assert "问题：写信的人是谁？" in shown and "只显示问题" in shown
        assert not [word for word in LATER if word in shown]
        record = said(cli, "trace", "latest", "--json", *GUARD)
        assert not [word for word in LATER if word in record]
        assert json.loads(record)["withheld"] and json.loads(record)["query"] == "写信的人是谁？"
        assert "秦晚" in said(cli, "trace", "latest", "--as-of-chapter", "2", "--as-of-part", "2") or not guard
    assert "秦晚" in said(cli, "trace", "latest")


def test_a_trace_of_an_earlier_reader_is_shown_whole(cli: Cli) -> None:
    hides(said(cli, "ask", "周屿捡到了什么？", "-l", "b", *GUARD))
    for chapter in ("2", "3"):
        shown = said(cli, "trace", "latest", "--as-of-chapter", chapter)
        assert "木匣" in shown and "防剧透：内容截至第 1 部第 2 章" in shown and "只显示问题" not in shown
    assert "只显示问题" in said(cli, "trace", "latest", "--as-of-chapter", "1")
    assert "周屿捡到了什么？" in said(cli, "trace", *GUARD)


def test_a_memory_of_a_later_turn(cli: Cli) -> None:
    """MEM-02 STO-19: what an unguarded turn taught of the story is hidden in lists and searches."""
    run = ("-l", "b", "--user", "甲", "--remember")
    said(cli, "ask", "写信的人是谁？", *run)
    said(cli, "memory", "add", "我喜欢看江上的雾", "--user", "甲", "--key", "fog")
    for command in (("list",), ("search", "写信的人是老秦的女儿")):
        whole, guarded = (said(cli, "memory", *command, "--user", "甲", *guard) for guard in ((), ("-l", "b", *GUARD)))
        assert "写信的人是谁？" in whole and "写信的人是谁？" not in guarded
    assert "fog" in said(cli, "memory", "list", "--user", "甲", "-l", "b", *GUARD)


def test_a_question_about_a_chapter_of_a_part(cli: Cli) -> None:
    """S000-D04: a range of chapters counts in the part that the question names."""
    record = json.loads(said(cli, "ask", "第二部第一章讲了什么？", "-l", "b", "--json", "--toolkits", "story"))
    assert record["as_of"] is None
    assert {(one["part"], one["chapter"]) for one in record["citations"]} == {(2, 1)}
