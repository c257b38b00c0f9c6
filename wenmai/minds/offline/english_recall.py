"""What an English session has been about: names, their genders, who was asked for."""

import re
from dataclasses import dataclass, field

from state.session import Session, SessionTurn
from tools.story.linking import NameTable

_SHE = re.compile(r"\b(?:she|her|hers|herself)\b", re.IGNORECASE)
_HE = re.compile(r"\b(?:he|him|his|himself)\b", re.IGNORECASE)
_FEMALE = r"daughter|sister|mother|wife|widow|aunt|queen|princess|girl|woman|lady|grandmother|niece|maid|mrs|miss|gran"
_MALE = r"son|brother|father|husband|uncle|king|prince|boy|man|grandfather|nephew|mr|sir|lord|widower"
_FEMALE_NAME = re.compile(r"^(?:Lady|Mrs|Miss|Ms|Gran|Aunt|Queen|Princess|Madam|Sister|Mother)\b")
_MALE_NAME = re.compile(r"^(?:Mr|Sir|Lord|Uncle|King|Prince|Father|Brother)\b")
_WHO = re.compile(r"\bwho(?:m|se)?\b", re.IGNORECASE)
_IS_WHO = re.compile(r"^\W*who\s+(?:is|was|are|were)\s+(?!the\b|an?\b|his\b|her\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Told:
    """What the session named, likeliest first; `female` holds the genders that it tells, `latest` the last answer."""

    names: list[str]
    topic: str | None
    female: dict[str, bool] = field(default_factory=dict)
    kinds: dict[str, str | None] = field(default_factory=dict)
    latest: list[str] = field(default_factory=list)

    def fitting(self, female: bool) -> list[str]:
        """Return the people that he or she may stand for: those of that gender, else those of none."""
        people = [name for name in self.names if self.kinds.get(name) in (None, "Character")]
        sure = [name for name in people if self.female.get(name) is female]
        return sure + [name for name in people if name not in self.female]


def order(turn: SessionTurn, table: NameTable) -> list[str]:
    """Return a turn's names: who answers a who-question, then the question's own, then the answer's others."""
    asked, answered = named(turn["resolved"], table), named(turn["answer"], table)
    fresh = [name for name in answered if name not in asked]
    own = _IS_WHO.match(turn["resolved"]) and len(asked) == 1 and "'s" not in turn["resolved"]
    who = _WHO.search(turn["resolved"]) is not None and not own
    restored = bool(set(asked) - set(named(turn["question"], table)))
    if who and not restored:
        return [*fresh[:1], *asked, *fresh[1:]]
    return [*asked, *fresh]


def named(text: str, table: NameTable) -> list[str]:
    """Return the names in a text, each once."""
    return list(dict.fromkeys(m.entity or m.text for m in table.find(text)))


def genders(session: Session, table: NameTable) -> dict[str, bool]:
    """Return who is a woman (True) or a man (False) by title, kinship or pronoun."""
    found: dict[str, bool] = {}
    for turn in session["turns"]:
        _by_pronoun(turn, table, found)
        for text in (turn["resolved"], turn["answer"]):
            _by_noun(text, table, found)
    for name in [name for turn in session["turns"] for name in named(turn["resolved"] + " " + turn["answer"], table)]:
        for spelling in [name, *table.aliases(name)]:
            if _FEMALE_NAME.match(spelling) or _MALE_NAME.match(spelling):
                found[name] = _FEMALE_NAME.match(spelling) is not None
    return found


def _by_pronoun(turn: SessionTurn, table: NameTable, found: dict[str, bool]) -> None:
    restored = [n for n in named(turn["resolved"], table) if n not in named(turn["question"], table)]
    she, he = _SHE.search(turn["question"]), _HE.search(turn["question"])
    if len(restored) == 1 and (she is None) != (he is None):
        found.setdefault(restored[0], she is not None)
    alone, text = named(turn["resolved"], table), turn["answer"]
    begins = re.match(r"\W*(?:because |that )?(she|he)\b", text, re.IGNORECASE)
    if begins and alone:
        found.setdefault(alone[0], begins[1].lower() == "she")


def _by_noun(text: str, table: NameTable, found: dict[str, bool]) -> None:
    for mention in table.find(text):
        name, before, behind = mention.entity or mention.text, text[: mention.start], text[mention.end :]
        for nouns, female in ((_FEMALE, True), (_MALE, False)):
            said = re.match(rf",? (?:(?:is|was|the|an?|his|her|their|old|young) )+(?:{nouns})\b", behind, re.IGNORECASE)
            led = re.search(rf"\b(?:{nouns})(?:,| is| was)? $", before, re.IGNORECASE)
            is_kin = re.match(rf" (?:is|was) [\w' ]*?\b(?:{nouns})\b[.,]?", behind, re.IGNORECASE)
            if said or led or is_kin:
                found.setdefault(name, female)
