"""The help is in the language of the terminal, and every text of it is in the catalogue."""

from collections.abc import Iterator
from typing import Any

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from tools.messages import catalog, speaking
from wenmai.cli.app import USAGE, app, run
from wenmai.cli.output.help import NOTES, OF_TYPER, columns, row_text, wrapped

SHOWN = {
    (): ("用法：wenmai [选项] 命令", "导入示例故事并提问", "Usage: wenmai [OPTIONS]", "Ingest the sample story"),
    ("ask",): (
        "问题；写 - 则从标准输入读取。  [必填]",
        "否则为 local。",
        "reads it from standard input.",
        "else local.",
    ),
    ("memory", "search"): ("[默认：5; ", "用法：wenmai memory search", "[default: 5;", "Usage:"),
    ("keys",): ("创建密钥并只显示一次", "选项：", "Create a key and show it", "Options:"),
    ("keys", "add"): (
        "多少天后过期。  [1<=x<=3650]",
        "用法：wenmai keys add",
        "Number of days after which it expires.",
        "Usage:",
    ),
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


def keys_of(command: Any) -> Iterator[str]:
    """Yield the keys of a command's help, and of its options' and commands'."""
    yield from filter(None, (command.help, *(getattr(one, "help", None) for one in command.params)))
    for child in command.commands.values() if isinstance(command, TyperGroup) else ():
        yield from keys_of(child)


def test_every_text_is_in_the_catalogue_and_no_other() -> None:
    """So a new option is not forgotten, and what nobody shows any more is deleted."""
    known = {f"{section}.{name}" for section, rows in catalog("help").items() for name in rows}
    assert {*keys_of(get_command(app)), *OF_TYPER.values()} == known


def test_both_languages_are_there() -> None:
    for rows in catalog("help").values():
        assert all(set(texts) == {"zh", "en"} for texts in rows.values())


def test_of_a_command_in_a_list_the_first_sentence_is_shown() -> None:
    assert row_text("help.memory.import.about", NOTES) == "导入记忆，或逐轮导入对话。"
    with speaking("en"):
        assert row_text("help.ingest.about", {}) == "Read a story into a library."
        assert row_text("help.option.part  [x>=1]", {}).endswith("  [x>=1]")


def test_no_line_is_wider_than_the_terminal() -> None:
    """A Chinese character takes two columns, and no sign that ends a sentence begins a line."""
    lines = wrapped("把 DATA_DIR 写成一个文件：资料库、记忆、文档、知识网络、会话、密钥。", 22).split("\n")[1:]
    assert len(lines) > 2
    assert all(columns(line) <= 24 and line[0] not in "，。：、" for line in lines)
