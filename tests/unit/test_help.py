"""The help is in the language of the terminal, and every text of it is there in Chinese."""

from collections.abc import Iterator
from typing import Any

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from wenmai.cli.app import COMMANDS, USAGE, app, run
from wenmai.cli.output.help import columns, in_chinese, table, wrapped

SHOWN = {
    (): ("用法：wenmai [选项] 命令", "导入示例故事并提问", "Usage: wenmai [OPTIONS]", "Ingest the sample story"),
    ("ask",): (
        "问题；写 - 则从标准输入读取。  [必填]",
        "否则为 local。",
        "reads it from standard input.",
        "else local.",
    ),
    ("memory", "search"): ("[默认：5; ", "用法：wenmai memory search", "[default: 5; ", "Usage:"),
    ("keys",): ("创建密钥并只显示一次", "选项：", "Make a key and show it", "Options:"),
    ("keys", "add"): ("多少天后过期。  [1<=x<=3650]", "用法：wenmai keys add", "Expires after so many days.", "Usage:"),
}


@pytest.mark.parametrize("command", SHOWN)
def test_the_language_of_the_terminal(
    command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = {}
    for locale in ("zh_CN.UTF-8", "en_US.UTF-8"):
        monkeypatch.setenv("LC_ALL", locale)
        assert run([*command, "--help"]) == 0
        shown[locale[:2]] = capsys.readouterr().out
    *chinese, english, also_english = SHOWN[command]
    assert all(text in shown["zh"] for text in chinese)
    assert all(text in shown["en"] for text in (english, also_english))
    assert "[OPTIONS]" not in shown["zh"] and shown["en"].isascii() == bool(command)


def test_a_group_alone_shows_its_help_line_by_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["keys"]) == USAGE
    assert "\n  revoke  吊销密钥" in capsys.readouterr().err


def texts_of(command: Any) -> Iterator[str]:
    """Yield every paragraph of a command's help, and of its options' and commands'."""
    for text in (command.help, *(getattr(one, "help", None) for one in command.params)):
        yield from (" ".join(paragraph.split()) for paragraph in (text or "").strip().split("\n\n") if paragraph)
    for child in command.commands.values() if isinstance(command, TyperGroup) else ():
        yield from texts_of(child)


def test_every_text_is_there_in_chinese_and_no_other() -> None:
    """So a new option is not forgotten, and what nobody shows any more is deleted."""
    assert {*texts_of(get_command(app)), "Show this message and exit."} == {*table()}


def test_a_summary_is_the_first_sentence() -> None:
    for name, summary in COMMANDS.items():
        assert in_chinese(summary) != summary, name
    assert in_chinese("Import memories, or talks turn...") == "导入记忆，或逐轮导入对话。"


def test_no_line_is_wider_than_the_terminal() -> None:
    """A Chinese character takes two columns, and no sign that ends a sentence begins a line."""
    lines = wrapped("把 DATA_DIR 写成一个文件：资料库、记忆、文档、知识网络、会话、密钥。", 22).split("\n")[1:]
    assert len(lines) > 2
    assert all(columns(line) <= 24 and line[0] not in "，。：、" for line in lines)
