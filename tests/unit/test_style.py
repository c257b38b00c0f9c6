"""The check of names, docstrings and sizes finds what it is for, and nothing else."""

from pathlib import Path

import pytest

from tests.style import FILE_LINES, FOLDER_FILES, FUNCTION_LINES, faults, file_faults, sources

LONG = "def grow() -> int:\n    total = 0\n" + "    total += 1\n" * (FUNCTION_LINES - 3) + "    return total\n"


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
        "DOUBLE = Words('重复', 'double')\ndef f() -> None:\n    raise ValueError(DOUBLE)\n",
        "def f() -> None:\n    raise ValueError(Words('重复', 'double').of(name='a'))\n",
        'PROMPT = "Tell whether somebody is meant, and whom."\n',
        '"""Return True if it holds."""\n',
        "whomsoever = 1\n",
        LONG,
    ],
)
def test_other_text_is_not(text: str) -> None:
    """Strings are prompts, longer words are other words, and a function may have its forty lines."""
    assert list(file_faults("a.py", text)) == []


def test_requirement_ids_are_found_in_docstrings_and_comments() -> None:
    """They belong in tests and in docs/spec."""
    text = '"""Answer.\n\nAs S000-12 says.\n"""\nx = 1  # PLA-05\ny = "STO-01"\n'
    found = {(fault.line, fault.message.split()[2]) for fault in file_faults("nodes/a.py", text)}
    assert found == {(3, "S000-12"), (5, "PLA-05")}


def test_what_is_too_long_is_found() -> None:
    """A function by its name and line, a file by its length."""
    longer = LONG.replace("    return", "    total += 1\n    return")
    assert [str(fault) for fault in file_faults("a.py", "\n" + longer)] == [
        f"a.py:2: grow has {FUNCTION_LINES + 1} lines, at most {FUNCTION_LINES} are wanted"
    ]
    assert [fault.line for fault in file_faults("a.py", "x = 1\n" * (FILE_LINES + 1))] == [1]
    assert list(file_faults("a.py", "x = 1\n" * FILE_LINES)) == []


def test_folders_and_rooms(tmp_path: Path) -> None:
    """A folder counts its own files; what is left out is not read."""
    for room, number in {"tools": FOLDER_FILES + 1, "nodes": FOLDER_FILES, "old": 1}.items():
        (tmp_path / room).mkdir()
        for n in range(number):
            (tmp_path / room / f"m{n}.py").write_text("whom = 1\n" if room == "old" else "x = 1\n", encoding="utf-8")
    files = sources(tmp_path, ("tools", "nodes", "old"), ("old",))
    assert [str(fault) for fault in faults(tmp_path, files)] == ["tools:0: 21 files, at most 20 are wanted"]
