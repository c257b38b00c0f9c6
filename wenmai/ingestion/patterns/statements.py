"""What the sentences of a chapter state by the table of wordings, without what they deny, ask, wish or suppose."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from state.context import Language
from wenmai.ingestion.names.names import Mention
from wenmai.ingestion.patterns.masking import Masked, ReadChapter
from wenmai.ingestion.patterns.wordings import PERSON, Rule, rules
from wenmai.language.lexicon import relation_words

_CLAUSE = re.compile(r"[，。；！？、：,;:!?“”‘’\n]")
_OPENING = re.compile(
    f"(?:{PERSON}[念令命使派请劝逼]|"
    r"[却且话]说|话表|这|那|忽|于是|原来|后来|早有|但是?|而|可是?|当下|正值|恰好|只有|就是|不久|接着|终于|[男女大小]的名?叫|.{0,4}(?:名叫|叫做|叫作)|.{0,3}[日天夜]|.*时候?)*"
)
SPOKEN = frozenset(("FAMILY_OF", "FRIEND_OF", "PARTNER_OF", "LEADER_OF", "MEMBER_OF", "LOCATED_IN"))
"""What a speaker may state; fights and enmity in speech are threats and wishes as often as not."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One wording found; places are those of the chapter."""

    rule: Rule
    slots: dict[str, list[Mention]]
    sentence: tuple[int, int]
    span: tuple[int, int]
    thing: str
    description: str

    def people(self, slot: str) -> list[Mention]:
        return self.slots.get(slot, [])


def find_statements(read: ReadChapter, what: Literal["relation", "event"]) -> Iterator[Statement]:
    table, doubts = rules(read.language, what), _doubts(read.language)
    for masked in read.sentences:
        yield from _stated(masked, table, read, doubts)


def _stated(masked: Masked, table: Sequence[Rule], read: ReadChapter, doubts: "_Doubts") -> Iterator[Statement]:
    quoted = read.quoted
    people = masked.text.count(PERSON)
    for rule in table:
        if people < rule.people or (rule.marks and not any(mark in masked.text for mark in rule.marks)):
            continue
        for match in rule.words.finditer(masked.text):
            spoken = quoted[masked.at[match.start()]]
            if (spoken and rule.kind not in SPOKEN) or _is_passed_by(masked.text, match):
                continue
            if doubts.hold(_same_voice(masked, quoted, match), match, rule):
                continue
            statement = _statement(rule, masked, match)
            # The antecedent of a pronoun is a guess now and then; of a death none is made.
            if not (rule.event and rule.event.outcome) or all(map(read.is_named, statement.people("A"))):
                yield statement


def _same_voice(masked: Masked, quoted: bytearray, match: re.Match[str]) -> str:
    """Return the text, with blanks for what is quoted where a statement is not, or the reverse, around it."""
    voices = [at < len(quoted) and quoted[at] for at in masked.at]
    own = voices[match.start()]
    inside = range(match.start(), match.end())
    return "".join(
        char if at in inside or voices[at] == own or char == "“" else " " for at, char in enumerate(masked.text)
    )


@dataclass(frozen=True, slots=True)
class _Doubts:
    """Words of a language that deny a clause, or make a sentence a guess or a question."""

    denied: re.Pattern[str]
    supposed: re.Pattern[str]
    asked: re.Pattern[str]

    def hold(self, text: str, match: re.Match[str], rule: Rule) -> bool:
        """Return True for what is denied in its last clause, or asked or supposed in its sentence."""
        clause = max((m.end() for m in _CLAUSE.finditer(text, 0, match.end() - 1)), default=0)
        return bool(
            (not rule.negative and self.denied.search(text, clause, match.end()))
            or self.supposed.search(text, 0, match.end())
            or self.asked.search(text, match.end())
        )


def _is_passed_by(text: str, match: re.Match[str]) -> bool:
    """Return True if the words stand in a later clause than a name that does not open its own, and so is no subject."""
    if "A" not in match.groupdict() or "，" not in text[match.end("A") : match.end() - 1]:
        return False
    clause = max((m.end() for m in _CLAUSE.finditer(text, 0, match.start("A"))), default=0)
    return not _OPENING.fullmatch(text[clause : match.start("A")].strip())


@cache
def _doubts(language: Language) -> _Doubts:
    words = relation_words(language)
    return _Doubts(*(re.compile(words[name], re.IGNORECASE) for name in ("denied", "supposed", "asked")))


def _statement(rule: Rule, masked: Masked, match: re.Match[str]) -> Statement:
    groups = match.groupdict()
    slots = {slot: masked.mentions(match.span(slot)) for slot in ("A", "B", "AB", "O", "L", "W") if groups.get(slot)}
    start, end = match.span()
    opening = min((one.start for names in slots.values() for one in names), default=masked.at[start])
    return Statement(
        rule=rule,
        slots=slots,
        sentence=masked.span,
        span=(min(opening, masked.at[start]), masked.at[end - 1] + 1),
        thing=(groups.get("X") or "").strip(),
        description=rule.description or groups.get("d") or "",
    )
