"""The catalogue of messages: whole in both languages, used, and filled as its texts want."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from string import Formatter

import pytest

from tests.style import ROOT, sources
from tools.holding import holding
from tools.messages import IS_REMOTE, Message, Names, catalog, say, speaking, template

TEXTS = {f"{section}.{name}": texts for section, rows in catalog().items() for name, texts in rows.items()}
READERS = ("say", "say_in", "Message", "template")
BY_NAME = re.compile(r"offline(\.\w+)+")
"""Keys that the mind without a model passes about by themselves; elsewhere a text that is a key is one."""
MEASURES = {"unit"}
"""Fields that Chinese has alone: measure words."""
HAN = re.compile(r"[\u3400-\u9fff]")
ENGINE = "IO Error: cannot open /srv/data/book/graph.lbug (2/3)"


@dataclass(frozen=True, slots=True)
class Use:
    """Where a message is said.

    Attributes:
        keys: those that it may have, as patterns where a part is a value.
        values: the names of the values; None where the code does not say them all.
        is_said: whether they are filled in here and now.
    """

    place: str
    keys: tuple[str, ...]
    values: frozenset[str] | None
    is_said: bool


def fields(text: str) -> set[str]:
    """Return the names of a text's fields."""
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def uses_in(file: Path) -> Iterator[Use]:
    """Yield the messages that a file says by key."""
    tree = ast.parse(file.read_text("utf-8"))
    imported = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "tools.messages"
        for alias in node.names
    }
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name), args=given) if name in READERS and name in imported:
                first = given[1 if name == "say_in" else 0]
                names = [keyword.arg for keyword in node.keywords]
                values = None if None in names else frozenset(filter(None, names))
                yield Use(
                    f"{file.relative_to(ROOT)}:{node.lineno}", tuple(keys_of(first)), values, name.startswith("say")
                )
            case ast.Constant(value=str(text)) if BY_NAME.fullmatch(text) or text in TEXTS:
                yield Use(f"{file.relative_to(ROOT)}:{node.lineno}", (text,), None, is_said=False)


def keys_of(key: ast.expr) -> Iterator[str]:
    """Yield patterns of the keys that an expression may have; none where a variable holds it."""
    match key:
        case ast.Constant(value=str(text)):
            yield text
        case ast.IfExp(body=body, orelse=other):
            yield from keys_of(body)
            yield from keys_of(other)
        case ast.JoinedStr(values=parts):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else r"\w+" for part in parts)


USES = [use for file in sources(ROOT) if file.parent.name != "messages" for use in uses_in(file)]


def test_every_key_in_the_code_is_in_the_catalogue() -> None:
    known = "\n".join(TEXTS)
    assert [use for use in USES for key in use.keys if not re.search(f"^{key}$", known, re.MULTILINE)] == []


def test_every_message_is_said_somewhere() -> None:
    said = re.compile("|".join({key for use in USES for key in use.keys}))
    assert [key for key in TEXTS if not said.fullmatch(key)] == []


def test_values_of_a_call_are_the_fields_of_its_message() -> None:
    """A `Message` without values may be filled where it is read; one of several may leave a value out."""
    wrong = []
    for use in USES:
        wanted = [set().union(*map(fields, texts.values())) for key, texts in TEXTS.items() if key in use.keys]
        if use.values is None or not wanted or not (use.values or use.is_said):
            continue
        if not all(one <= use.values for one in wanted) or not use.values <= set().union(*wanted):
            wrong.append(use)
    assert wrong == []


def test_no_message_is_compared() -> None:
    """Each call makes a new one: `message is Message("…")` would never be true."""
    compared = [
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for file in sources(ROOT)
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Compare)
        for side in (node.left, *node.comparators)
        if isinstance(side, ast.Call) and isinstance(side.func, ast.Name) and side.func.id == "Message"
    ]
    assert compared == []


def test_both_languages_have_the_same_fields() -> None:
    for key, texts in TEXTS.items():
        assert {"zh", "en"} <= set(texts) <= {"zh", "en", "zh_remote", "en_remote"}, key
        assert fields(texts["zh"]) - MEASURES == fields(texts["en"]) - MEASURES, key
        for language in ("zh", "en"):
            assert fields(texts.get(f"{language}_remote", "")) <= fields(texts[language]), key
        assert ("zh_remote" in texts) == ("en_remote" in texts), key


def test_texts_for_other_machines_name_no_command() -> None:
    command = re.compile(r"wenmai [a-z]+ |(?<![\w-])--[a-z]")
    named = [
        key for key, texts in TEXTS.items() if command.search(texts.get("zh_remote", "") + texts.get("en_remote", ""))
    ]
    assert named == []


def test_english_texts_are_english() -> None:
    chinese = [key for key, texts in TEXTS.items() if HAN.search(texts["en"] + texts.get("en_remote", ""))]
    assert chinese == []


@pytest.mark.parametrize(
    ("message", "here", "zh", "en"),
    [
        (
            Message("library.unknown", library="book"),
            "wenmai ingest",
            "没有名为 book 的资料库",
            "there is no library book",
        ),
        (
            Message(
                "store.unreadable",
                path=Path("/srv/data/book"),
                reason=ENGINE,
                restore=Message("library.delete_and_ingest", folder="book"),
            ),
            "/srv/data/book/graph.lbug",
            "无法读取 book（IO Error: cannot open graph.lbug (2/3)）：请删除资料库 book 后重新导入",
            "book cannot be read (IO Error: cannot open graph.lbug (2/3)): "
            "delete library book and ingest its texts again",
        ),
        (
            Message("entity.unknown", library="book", name="王", list=Message("entity.see_list")),
            "wenmai entities",
            "资料库 book 里没有实体 王",
            "library book has no entity 王",
        ),
        (
            Message("network.service.not_an_object", url="http://a.org/b/c"),
            "a.org/b/c",
            "知识网络服务的响应不是 JSON 对象：http://a.org/b/c",
            "the knowledge network service did not answer with a JSON object: http://a.org/b/c",
        ),
    ],
)
def test_a_text_for_readers_at_another_machine(message: Message, here: str, zh: str, en: str) -> None:
    """Without its folders and its commands."""
    assert here in str(message)
    with holding(IS_REMOTE, True):
        assert str(message) == zh
        with speaking("en"):
            assert str(message) == en


def test_signs_between_names_reach_another_machine() -> None:
    with holding(IS_REMOTE, True), speaking("en"):
        assert str(Names(("a", "b"))) == "a, b"
        assert say("sign.semicolon") == template("sign.semicolon", "en") == "; "


def test_a_missing_key_or_value_is_an_error() -> None:
    with pytest.raises(KeyError):
        say("library.no_such_message")
    with pytest.raises(KeyError):
        str(Message("library.unknown"))
