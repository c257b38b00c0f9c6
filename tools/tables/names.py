"""What tables and columns are called: the words of a header, and other names of the same thing in both languages."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from tools.language import is_chinese

TABLE: dict[str, Any] = tomllib.loads(files("tools.tables").joinpath("names.toml").read_text(encoding="utf-8"))
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[\u3400-\u9fff]+")
COMMA = re.compile(r"[,、]\s*")
ID_WORDS = frozenset({"id", "ids", "no", "nr", "code", "key", "ref", "number", "uuid", "pk", "fk"})
ID_ENDING = re.compile(r"(?:编号|编码|代码|代号|号码|工号|学号|证号|号|ID|id)$")
NUMBERING_WORDS = frozenset({"version", "release", "edition", "revision", "volume", "issue", "episode", "rank", "year"})
NUMBERING_ENDING = re.compile(r"(?:版本?|[届期卷集]数?|序|名次|排名|年份?)$")
NAME_WORDS = frozenset({"name", "title", "label", "fullname"})
NAME_ENDING = re.compile(r"(?:名称|姓名|名字|书名|片名|品名|标题|名)$")
IRREGULAR = {"people": "person", "children": "child", "men": "man", "women": "woman"} | {
    one: one for one in ("series", "species", "news", "means")
}
ALSO, INVERSE, BETWEEN = "又称：", "←", "、"


JOINED_ENDS = ("name", "id", "code", "number", "date", "type", "year", "title")
SHORT = dict(pair.split("=") for pair in COMMA.split(TABLE["short"]))


def words_of(header: str) -> tuple[str, ...]:
    """Return the words of a header in small letters: supplierID or supplierid: supplier, id; 供应商编号 stays whole."""
    parts = (part.lower() for part in PARTS.findall(header))
    return tuple(word for part in parts for word in (split_word(part) or (part,)))


@cache
def split_word(word: str) -> tuple[str, str] | None:
    """Return the two words that a header has written as one, of which the first is a common name: productname."""
    known = glossary().names
    for end in JOINED_ENDS:
        first = word.removesuffix(end)
        if word not in known and first != word and (first in known or singular(first) in known):
            return first, end
    return None


def singular(word: str) -> str:
    """Return an English noun in the singular, another word as it is."""
    if word in IRREGULAR or is_chinese(word):
        return IRREGULAR.get(word, word)
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("s", "")):
        if word.endswith(ending) and len(word) > len(ending) + 1 and not word.endswith(("ss", "us", "is")):
            return word.removesuffix(ending) + instead
    return word


def without_id(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a header without what says that it is a key; all of them where nothing says so."""
    if not words:
        return ()
    if words[-1] in ID_WORDS:
        return tuple(words[:-1])
    last = ID_ENDING.sub("", words[-1])
    return (*words[:-1], last) if last else tuple(words[:-1])


def says_id(words: Sequence[str]) -> bool:
    return without_id(words) != tuple(words)


def says_numbering(words: Sequence[str]) -> bool:
    """Return True for a header of what numbers rows, such as a version, a volume or a key."""
    return says_id(words) or bool(words and (words[-1] in NUMBERING_WORDS or NUMBERING_ENDING.search(words[-1])))


def says_name(words: Sequence[str]) -> bool:
    return bool(words) and (words[-1] in NAME_WORDS or bool(NAME_ENDING.search(words[-1])))


def without_name(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a name's header without what says that it is one: 部门 of 部门名称, dept of deptName."""
    rest = "" if words[-1] in NAME_WORDS else NAME_ENDING.sub("", words[-1])
    return (*words[:-1], rest) if rest else tuple(words[:-1])


@dataclass(frozen=True, slots=True)
class Glossary:
    """Names of one thing by each of them, and verbs by what they lead to."""

    names: dict[str, tuple[str, ...]]
    verbs: dict[str, tuple[str, ...]]

    def others(self, label: str) -> list[str]:
        """Return the other names of a label, those of the other language first."""
        found = self.names.get(label, ()) or self.by_words(label)
        return sorted((one for one in found if one != label), key=lambda one: is_chinese(one) == is_chinese(label))

    def by_words(self, label: str) -> tuple[str, ...]:
        """Return an English label word by word in Chinese; () where a word is not known."""
        parts = [next((one for one in self.names.get(word, ()) if is_chinese(one)), "") for word in label.split()]
        return ("".join(parts),) if len(parts) > 1 and all(parts) else ()

    def leading(self, labels: Sequence[str]) -> list[str]:
        """Return the verbs of a way that is called by the first of these names, or else by another name of it."""
        known = [*labels, *(other for label in labels for other in self.names.get(label, ()))]
        return list(next((self.verbs[label] for label in known if label in self.verbs), ()))


@cache
def glossary() -> Glossary:
    names: dict[str, tuple[str, ...]] = {}
    for row in TABLE["names"].strip().splitlines():
        same = tuple(part for side in row.split("|") for part in COMMA.split(side.strip()))
        for one in same:
            names.setdefault(one, same)
    verbs = {}
    for row in TABLE["verbs"].strip().splitlines():
        name, *sides = (side.strip() for side in row.split("|"))
        verbs[name] = tuple(part for side in sides for part in verbs_of(side))
    return Glossary(names, verbs)


def verbs_of(side: str) -> list[str]:
    """Return the verbs of one language; those that lead back keep their arrow."""
    forth, _, back = side.partition(INVERSE)
    return [*COMMA.split(forth.strip()), *(f"{INVERSE}{one}" for one in COMMA.split(back.strip()) if one)]


def words_listed(name: str) -> list[str]:
    return COMMA.split(TABLE[name])


def comment(label: str, verbs: Sequence[str] = ()) -> str:
    """Return what else a label is called, as comments of a schema list it for readers and models of either language."""
    full = " ".join(SHORT.get(word, word) for word in label.split())
    names = [*glossary().others(label), *([] if full == label else [full, *glossary().others(full)])]
    others = BETWEEN.join(dict.fromkeys([*names, *verbs]))
    return f"{ALSO}{others}" if others else ""
