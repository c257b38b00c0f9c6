"""The table of wordings (`wordings.toml`), compiled.

A wording is an expression over masked sentences (`masking`), in which every name is one character of its kind.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from state.context import Language
from wenmai.language.lexicon import relation_words

PERSON, ORGANISATION, PLACE, OTHER = "\ue000", "\ue001", "\ue002", "\ue003"
_NAMES = f"{PERSON}{ORGANISATION}{PLACE}{OTHER}"
_STOPS = "。！？!?；;：:“”「」『』‘’…—\n"
_AND = {"zh": r"(?:[、和与及跟同]|以及)", "en": r"(?:,? and |, )"}
_TITLE = {
    "zh": "",
    "en": r"(?:(?:the|old|young|poor|dear|little|brave|Mr|Mrs|Miss|Sir|Lady|Lord|Dr|Captain|Colonel|Count|Countess"
    r"|Prince|Princess|King|Queen|Duke|Baron|General|Marshal)\.? )*",
}
_OTHER_SUBJECT = "的之说道问看听想让叫使请把将替给如比像像对向跟与和同为被他她它其你我您"
_GAP = {
    "zh": rf"(?:在[^{PERSON}{OTHER}{_STOPS}，,]{{1,10}}?)?"
    rf"(?:(?!(?!如今|将近|同时)[{_OTHER_SUBJECT}])[^{_NAMES}{_STOPS}，,、]){{0,8}}?",
    "en": r"(?:,? (?!(?:said|asked|whose|which|that|if|of|and|but|to)\b)[\w-]+){0,3}?",
}
_CLAUSES = {
    "zh": rf"(?![的之])(?:[^{PERSON}{OTHER}{_STOPS}，他她它其你我您]{{0,14}}，){{0,3}}?" + _GAP["zh"],
    "en": _GAP["en"],
}
_THING = {"zh": rf"[^{_NAMES}{_STOPS}，,]{{1,10}}?[^{_NAMES}{_STOPS}，,的了给]", "en": r"[A-Za-z' -]{3,30}"}
_NOT_KIN = "(?![父母妻爹娘爸妈哥弟姐妹儿女媳侄孙婿叔]|老婆|丈夫|家人|自己的)"
"""A name before a word of kinship is not who acts: 他母亲去世."""
_CLASS = re.compile(r"<(\w+)>")
_SLOT = re.compile(r"\{(\w+)\}")
_OPTIONAL = re.compile(r"\(\?:[^()]*\)\?|\(\?:\{[BO]\}(?:的\?)?\|\{[WBL]\}的?\)")
_MARKS = {"O": ORGANISATION, "L": PLACE, "W": ORGANISATION + PLACE}
_PEOPLE = {"A": 1, "B": 1, "AB": 2}


@dataclass(frozen=True, slots=True)
class Rule:
    """A compiled wording: `kind` is a relation's type or an event's kind.

    It needs a sentence with so many people, and with one of `marks` if there are any. A negative one states that
    something is no more.
    """

    kind: str
    words: re.Pattern[str]
    people: int
    marks: str
    event: "EventKind | None" = None
    description: str = ""
    negative: bool = False


@dataclass(frozen=True, slots=True)
class EventKind:
    type: Any
    name: str
    outcome: str
    weight: int


@cache
def rules(language: Language, what: Literal["relation", "event"]) -> tuple[Rule, ...]:
    table = tomllib.loads(files("wenmai.ingestion.patterns").joinpath("wordings.toml").read_text(encoding="utf-8"))
    rows, words = table[language][what], relation_words(language)
    return tuple(_rule(row, wording, words, language) for row in rows for wording in row["wordings"])


def _rule(row: dict[str, Any], wording: str, words: Mapping[str, str], language: Language) -> Rule:
    event = None
    if "kind" in row:
        event = EventKind(row["type"], row["name"], row.get("outcome", ""), row.get("weight", 1))
    slots = set(_SLOT.findall(_OPTIONAL.sub("", wording)))
    return Rule(
        kind=row.get("kind") or row["type"],
        words=re.compile(_expression(wording, words, language)),
        marks=_MARKS.get(next(iter(slots & _MARKS.keys()), ""), ""),
        people=sum(_PEOPLE.get(slot, 0) for slot in slots),
        event=event,
        description=row.get("description", ""),
        negative=row.get("negative", False),
    )


def _expression(wording: str, words: Mapping[str, str], language: Language) -> str:
    names = f"{PERSON}(?:{_AND[language]}{_TITLE[language]}{PERSON})*"
    title = _TITLE[language]
    slots = {
        "A": f"{title}(?P<A>{names}){_NOT_KIN if language == 'zh' else ''}",
        "B": f"{title}(?P<B>{names})",
        "AB": f"{title}(?P<AB>{PERSON}(?:{_AND[language]}{title})?{names})",
        "O": f"(?P<O>{ORGANISATION})",
        "L": f"(?P<L>{PLACE})",
        "W": f"(?P<W>[{ORGANISATION}{PLACE}])",
        "X": f"(?P<X>{_THING[language]})",
        "g": _GAP[language],
        "G": _CLAUSES[language],
        "people": names,
        "title": title,
        "tag": "(?:”[^“”。！？]{1,24}[，。：]?“)?",
        "age": "，?[一二三四五六七八九十百]{1,4}岁，?",
        "adj": f"(?:(?:{words.get('adj', '')}) )*",
    }
    described = iter(("P<d>",))
    expression = _CLASS.sub(lambda m: f"(?{next(described, ':')}{words[m[1]]})", wording)
    return _SLOT.sub(lambda m: slots[m[1]] if m[1] in slots else m[0], expression)
