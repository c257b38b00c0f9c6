"""`wenmai demo`: what it says in each language."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from state.context import Language
from tools.language import HAN
from tools.messages import speaking
from wenmai.app.sample import SAMPLES, sample_folder
from wenmai.cli.commands.demo import SCRIPTS, activation, command_lines


def test_a_shell_that_lacks_the_command_is_told_how_to_find_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`make demo` sets up a folder of its own, which no shell looks into."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.prefix", str(tmp_path / "venv"))
    monkeypatch.chdir(tmp_path)
    assert [command for command, _ in activation()] == [". venv/bin/activate"]


def test_a_shell_that_has_the_command_is_told_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The line would be noise."""
    command = tmp_path / "wenmai"
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert activation() == []


@pytest.mark.parametrize("language", ["zh", "en"])
def test_what_comes_next_is_in_one_column(language: Language) -> None:
    """In the language that is spoken, of its own library."""
    commands = SCRIPTS[language].go_on
    with speaking(language):
        lines = command_lines(commands)
        columns = {cell_len(line) - cell_len(str(does)) for line, (_, does) in zip(lines, commands, strict=True)}
    assert len(columns) == 1
    assert all(SAMPLES[language].library in line for line in lines[:4])
    assert [HAN.search(line) is not None for line in lines] == [language == "zh"] * len(lines)


def test_the_gold_of_the_english_sample_stands_in_its_chapters() -> None:
    """Quotes of questions, relations and events, word for word; each relation's names are known."""
    folder, sample = sample_folder(), SAMPLES["en"]
    text = (folder / sample.story).read_text(encoding="utf-8")
    chapters = re.split(r"^Chapter \d+: .*$", text, flags=re.MULTILINE)
    known = json.loads((folder / sample.aliases).read_text(encoding="utf-8"))["type"]
    golds = [gold for row in read_lines(folder / sample.questions) for gold in row["gold"]]
    quoted = [(gold["chapter"], gold["quote"]) for gold in golds]
    for row in [row for name in sample.graph for row in read_lines(folder / name)]:
        quoted.append((row["chapter"], row["evidence"]))
        ends = [row["source"], row["target"]] if "source" in row else [one["name"] for one in row["characters"]]
        assert set(ends) <= set(known), row
    assert [(chapter, quote) for chapter, quote in quoted if quote not in chapters[chapter]] == []


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
