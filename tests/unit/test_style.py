"""The check of names, docstrings and messages finds what it is for, and nothing else."""

from pathlib import Path

import pytest

from tests.style import faults, file_faults, sources


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('"""Tell whether it holds."""\n', 1),
        ('def f() -> bool:\n    """Read.\n\n    tell whether it holds.\n    """\n    return True\n', 4),
        ("x = 1\ny = 2  # for whom it is\n", 2),
        ("def by_whom() -> None: ...\n", 1),
        ("class SomebodyElse: ...\n", 1),
        ("def f(whom: str) -> None: ...\n", 1),
        ("a = 1\nfor_somebody = 2\n", 2),
        ("from os import path as whom\n", 1),
    ],
)
def test_the_dialect_is_found(text: str, line: int) -> None:
    """In docstrings, comments and names, with the line."""
    found = list(file_faults("a.py", text))
    assert [fault.line for fault in found] == [line]
    assert "is dialect" in found[0].message


@pytest.mark.parametrize(
    "text",
    [
        "def f() -> None:\n    raise ValueError('重复')\n",
        "def f(name: str) -> None:\n    raise ValueError(f'{name} 重复') from None\n",
        "def f(name: str) -> None:\n    raise Refusal('field', '{} 重复'.format(name))\n",
        "DOUBLE = '{} 重复'\ndef f(name: str) -> None:\n    raise ValueError(DOUBLE.format(name))\n",
        "def f(name: str) -> None:\n    raise ValueError(DOUBLE.of(name='重复'))\n",
    ],
)
def test_a_message_in_one_language_is_found(text: str) -> None:
    """Whether it is a literal, put together, or a constant."""
    assert ["in Chinese alone" in fault.message for fault in file_faults("a.py", text)] == [True]


@pytest.mark.parametrize(
    "text",
    [
        "def f() -> None:\n    raise ValueError(Message('library.name_taken', name='a'))\n",
        'PROMPT = "Tell whether somebody is meant, and whom."\n',
        '"""Return True if it holds."""\n',
        "whomsoever = 1\n",
    ],
)
def test_other_text_is_not(text: str) -> None:
    """Strings are prompts, and longer words are other words."""
    assert list(file_faults("a.py", text)) == []


def test_requirement_ids_are_found_in_docstrings_and_comments() -> None:
    """They belong in tests and in docs/spec."""
    text = '"""Answer.\n\nAs S000-12 says.\n"""\nx = 1  # PLA-05\ny = "STO-01"\n'
    found = {(fault.line, fault.message.split()[2]) for fault in file_faults("nodes/a.py", text)}
    assert found == {(3, "S000-12"), (5, "PLA-05")}


def test_rooms(tmp_path: Path) -> None:
    """Their folders are read with all that is in them; other folders are not."""
    for folder in ("tools/story", "nodes", "old"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "m.py").write_text("whom = 1\n", encoding="utf-8")
    found = faults(tmp_path, sources(tmp_path, ("tools", "nodes")))
    assert [fault.file for fault in found] == ["nodes/m.py", "tools/story/m.py"]
