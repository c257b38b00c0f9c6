"""What of an instance a question asks for: labels of properties, in their own words or the usual ones."""

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from tools.networks.words import MEASURES
from tools.text.scripts import bigrams, folded
from wenmai.language.segmenting import segmenter

TABLES: dict[str, Any] = tomllib.loads(
    files("wenmai.minds.offline.networks")
    .joinpath("asking.toml")
    .read_text(encoding="utf-8")
    .replace("{measures}", MEASURES)
)
WHOLE = re.compile(TABLES["whole"], re.IGNORECASE)
TOLD = re.compile(TABLES["told"])
KEY = re.compile(r"(?:编号| id)$")  # nobody means it who does not say it: the author is asked for, not its id
PART = re.compile(r"\s的[\u4e00-\u9fff]{1,6}?(?:是|叫|有|在)")  # 某人的妻子是谁
PERSON = re.compile(TABLES["person"], re.IGNORECASE)
THING = re.compile(TABLES["thing"], re.IGNORECASE)
PERSONAL = re.compile(TABLES["personal"], re.IGNORECASE)
DEMONSTRATIVE = re.compile(TABLES["demonstrative"])
LISTING = re.compile(rf"(?:哪些|哪几)[{MEASURES}]?([\u4e00-\u9fff])")  # 有哪些船: labels about ships
WORD = re.compile(r"[a-z0-9]{3,}")  # of English; shorter ones say little
LONGEST_KIND, NOUN = 8, "n"  # characters that are cut into words, and the tag of a noun
ASKED = 0.8  # from here on a label is asked for


@dataclass(frozen=True, slots=True)
class Rule:
    """What is asked, which labels may answer, and whether it is asked in general."""

    asked: re.Pattern[str]
    told: re.Pattern[str]
    general: bool


def _rule(row: str) -> Rule:
    asked, told = row.removeprefix("~").split(" | ")
    return Rule(re.compile(asked.strip(), re.I), re.compile(told.strip(), re.I), row.startswith("~"))


RULES = tuple(map(_rule, TABLES["asks"].strip().splitlines()))


@dataclass(frozen=True, slots=True)
class AskWeights:
    """What a label is worth to a question: its very words, the usual words, a part of its words.

    A text that tells what something is altogether may answer anything, and answers what asks for just that.
    """

    verbatim: float = 3.0
    usual: float = 1.5
    general: float = 0.8
    part: float = 2.5
    whole: float = 0.9
    anyway: float = 0.35
    listed: float = 1.2
    by_length: float = 0.1


WEIGHTS = AskWeights()


@lru_cache(maxsize=4_096)
def asks_for(question: str, label: str) -> float:
    """Return how much a question, its names blanked, asks for a label; 0 where it does not."""
    text, name = folded(question), folded(label)
    if TOLD.search(name):
        return WEIGHTS.whole if asks_whole(text) else WEIGHTS.anyway
    if name in text:
        return WEIGHTS.verbatim + WEIGHTS.by_length * len(name)
    if KEY.search(name):
        return 0.0
    part = WEIGHTS.part * part_of(name, text)
    listed = WEIGHTS.listed * any(noun[0] in name for noun in LISTING.findall(text))
    fitting = [rule for rule in RULES if rule.told.search(name)]
    return max([part, listed, *(worth(rule, found) for rule in fitting for found in rule.asked.finditer(text))])


def part_of(label: str, text: str) -> float:
    """Return the share of a label that stands in a text: words of English, pairs of characters of Chinese."""
    if label.isascii():
        words = set(WORD.findall(label))
        return len(words & set(WORD.findall(text))) / len(words) if words else 0.0
    pairs = bigrams(label)
    return len(pairs & bigrams(text)) / len(pairs) if pairs else 0.0


def asks_whole(text: str) -> bool:
    """Return True if a question, its names blanked, asks for what something is altogether, not for one thing of it."""
    bare = not re.search(r"\w", text)  # a name alone
    return bare or (WHOLE.search(text) is not None and PART.search(text) is None)


def worth(rule: Rule, found: re.Match[str]) -> float:
    """Return what one rule's words are worth: long ones more."""
    return (WEIGHTS.general if rule.general else WEIGHTS.usual) + WEIGHTS.by_length * len(found[0])


def is_person(labels: tuple[str, ...]) -> bool:
    """Return True if these are the labels of a person."""
    return any(PERSONAL.search(label) for label in labels)


@lru_cache(maxsize=1_024)
def kinds_meant(question: str) -> tuple[str, ...]:
    """Return the nouns behind a demonstrative: 电影 for 这部电影, 船 for 这条船的."""
    behind = [question[found.end() :] for found in DEMONSTRATIVE.finditer(question)]
    words = [segmenter().tag(rest[:LONGEST_KIND], True)[0] for rest in behind if rest.strip()]
    return tuple(word for word, tag in words if tag.startswith(NOUN))
