"""Check names, docstrings and messages of the source text: `python -m tests.style`, a part of `make lint`.

Refused are words of the project's former dialect, requirement ids, and exceptions whose message is in Chinese alone.
Other strings are not checked: prompts are their own matter.
"""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOMS = ("devservers", "graph", "nodes", "state", "tools", "wenmai")
INSTEAD = {"tell whether": "Return True if", "whom": "candidate, patient", "somebody": "a person, another program"}
WORDS = re.compile(rf"\b({'|'.join(INSTEAD)})\b", re.IGNORECASE)
ID = re.compile(r"\b(S0\d\d-D?\d+|(?:PLA|LOP|STO|DOC|MEM|KNO)-\d+)\b")
HAN = re.compile(r"[\u3400-\u9fff]")
# Both languages in one text, as `tools.messages` may not be importable there; and a message with a Chinese file name.
MAY_RAISE_CHINESE = ("wenmai/own_packages.py", "wenmai/app/sample.py")
NAME_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """Something to mend, and where."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        """Return the fault as editors link it."""
        return f"{self.file}:{self.line}: {self.message}"


def sources(root: Path, rooms: Sequence[str] = ROOMS) -> list[Path]:
    """Return the Python files of the rooms, sorted."""
    return sorted(file for room in rooms for file in (root / room).rglob("*.py"))


def faults(root: Path, files: Sequence[Path]) -> list[Fault]:
    """Return everything that is wrong with these files, by place."""
    return sorted(
        fault for file in files for fault in file_faults(file.relative_to(root).as_posix(), file.read_text("utf-8"))
    )


def file_faults(name: str, text: str) -> Iterator[Fault]:
    """Yield the faults of one file."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        yield from node_faults(name, node)
    if name not in MAY_RAISE_CHINESE:
        yield from message_faults(name, tree)
    for line, comment in comments(text):
        yield from text_faults(name, line, comment)


def node_faults(name: str, node: ast.AST) -> Iterator[Fault]:
    """Yield the faults of one node: its docstring, its name."""
    if isinstance(node, DOCUMENTED) and (text := ast.get_docstring(node)):
        yield from text_faults(name, node.body[0].lineno, text)
    for identifier in identifiers(node):
        words = " ".join(NAME_PARTS.findall(identifier))
        yield from word_faults(name, getattr(node, "lineno", 1), words, f"name {identifier}: ")


def message_faults(name: str, tree: ast.Module) -> Iterator[Fault]:
    """Yield a fault for each exception that is raised with Chinese, as a literal or a constant of the module."""
    constants = {
        target.id
        for statement in tree.body
        if isinstance(statement, ast.Assign) and has_chinese(statement.value, frozenset())
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and node.exc is not None and has_chinese(node.exc, constants):
            yield Fault(name, node.lineno, "a message in Chinese alone: it belongs into tools/messages/catalog.json")


def has_chinese(node: ast.expr, constants: Set[str]) -> bool:
    """Return True if an expression is put together from Chinese text."""
    match node:
        case ast.Constant(value=str(text)):
            return HAN.search(text) is not None
        case ast.Name(id=name):
            return name in constants
        case ast.Dict() | ast.Tuple() | ast.List() | ast.Set():  # tables and patterns are no messages
            return False
    parts = (part.value if isinstance(part, ast.keyword) else part for part in ast.iter_child_nodes(node))
    return any(has_chinese(part, constants) for part in parts if isinstance(part, ast.expr))


def identifiers(node: ast.AST) -> list[str]:
    """Return the names that a node gives, so that each is found where it comes from."""
    match node:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.arg(arg=name):
            return [name]
        case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
            return [name]
        case ast.alias(asname=str(name)):
            return [name]
    return []


def comments(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of each comment."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def text_faults(name: str, line: int, text: str) -> Iterator[Fault]:
    """Yield the faults of a docstring or comment that begins at a line: refused words, requirement ids."""
    yield from word_faults(name, line, text)
    for found in ID.finditer(text):
        yield Fault(name, line + text[: found.start()].count("\n"), f"requirement id {found[1]} in product code")


def word_faults(name: str, line: int, text: str, before: str = "") -> Iterator[Fault]:
    """Yield a fault for each refused word in a text that begins at a line."""
    for found in WORDS.finditer(text):
        word = found[1].casefold()
        at = line + text[: found.start()].count("\n")
        yield Fault(name, at, f"{before}{found[1]!r} is dialect, for instance: {INSTEAD[word]}")


def main() -> int:
    """Print every fault; return 1 if there is one."""
    found = faults(ROOT, sources(ROOT))
    for fault in found:
        sys.stdout.write(f"{fault}\n")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
