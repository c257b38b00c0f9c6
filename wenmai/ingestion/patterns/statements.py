"""What the sentences of a chapter state by the table of wordings, without what they deny, ask, wish or suppose.

A wording of the table (`wordings.toml`) is an expression over masked sentences, in which every name is one character of
its kind, and so is a pronoun where it is sure whose it is.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from state.context import Language
from tools.language import HAN
from tools.text.sentences import statement_spans
from wenmai.ingestion.contracts import TaggedChapter
from wenmai.ingestion.names.names import TextMention, within
from wenmai.ingestion.patterns.quoting import quoted_mask
from wenmai.ingestion.patterns.voices import StandIn, Voices
from wenmai.language.lexicon import relation_words, table

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
class Wording:
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
def rules(language: Language, what: Literal["relation", "event"]) -> tuple[Wording, ...]:
    words = relation_words(language)
    found: list[Wording] = []
    for row in table("wenmai.ingestion.patterns", "wordings.toml")[language][what]:
        event = None
        if "kind" in row:
            event = EventKind(row["type"], row["name"], row.get("outcome", ""), row.get("weight", 1))
        for wording in row["wordings"]:
            slots = set(_SLOT.findall(_OPTIONAL.sub("", wording)))
            found.append(
                Wording(
                    kind=row.get("kind") or row["type"],
                    words=re.compile(_expression(wording, words, language)),
                    marks=_MARKS.get(next(iter(slots & _MARKS.keys()), ""), ""),
                    people=sum(_PEOPLE.get(slot, 0) for slot in slots),
                    event=event,
                    description=row.get("description", ""),
                    negative=row.get("negative", False),
                )
            )
    return tuple(found)


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


_KINDS = {"Character": PERSON, "Organization": ORGANISATION, "Location": PLACE}


@dataclass(frozen=True, slots=True)
class Masked:
    """A sentence with its names masked; `at` has the place in the chapter of every character, and of the end."""

    text: str
    at: Sequence[int]
    names: Mapping[int, TextMention]
    span: tuple[int, int]

    def mentions(self, span: tuple[int, int]) -> list[TextMention]:
        return [self.names[place] for place in range(*span) if place in self.names]


@dataclass(frozen=True, slots=True)
class ReadChapter:
    """A chapter with its masked sentences; `quoted` as in `quoted_mask`."""

    tagged: TaggedChapter
    language: Language
    quoted: bytearray
    sentences: Sequence[Masked]

    @classmethod
    def of(cls, tagged: TaggedChapter) -> "ReadChapter":
        language: Language = "zh" if HAN.search(tagged.chapter.text) else "en"
        quoted = quoted_mask(tagged.chapter.text)
        return cls(tagged, language, quoted, tuple(_masked_sentences(tagged, language, quoted)))

    def is_named(self, mention: TextMention) -> bool:
        return mention in within(self.tagged.mentions, mention.start, mention.end)


def _masked_sentences(tagged: TaggedChapter, language: Language, quoted: bytearray) -> Iterator[Masked]:
    """Yield the sentences of a chapter that name a person, place or organisation, in order."""
    voices = Voices(tagged, quoted, language)
    for start, end in statement_spans(tagged.chapter.text):
        pronouns = voices.stand_ins(start, end)
        names = [StandIn(mention) for mention in within(tagged.mentions, start, end)]
        if names or pronouns:
            ordered = sorted([*names, *pronouns], key=lambda one: one.mention.start)
            yield _masked(tagged.chapter.text, (start, end), ordered, tagged.kinds)


def _masked(text: str, span: tuple[int, int], names: Sequence[StandIn], kinds: Mapping[str, str]) -> Masked:
    pieces: list[str] = []
    at: list[int] = []
    placed: dict[int, TextMention] = {}
    last = span[0]
    for name in names:
        mention = name.mention
        if mention.start < last:
            continue
        pieces += text[last : mention.start], _KINDS.get(kinds.get(mention.entity, ""), OTHER), name.suffix
        at += range(last, mention.start)
        placed[len(at)] = mention
        at += [mention.start] * (1 + len(name.suffix))
        last = mention.end
    pieces.append(text[last : span[1]])
    at += range(last, span[1] + 1)
    return Masked("".join(pieces), at, placed, span)


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

    rule: Wording
    slots: dict[str, list[TextMention]]
    sentence: tuple[int, int]
    span: tuple[int, int]
    thing: str
    description: str

    def people(self, slot: str) -> list[TextMention]:
        return self.slots.get(slot, [])


def find_statements(read: ReadChapter, what: Literal["relation", "event"]) -> Iterator[Statement]:
    """Yield what a chapter states, in order of its sentences."""
    wordings, doubts, quoted = rules(read.language, what), _Doubts.of(read.language), read.quoted
    for masked in read.sentences:
        people = masked.text.count(PERSON)
        for rule in wordings:
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

    @classmethod
    @cache
    def of(cls, language: Language) -> "_Doubts":
        words = relation_words(language)
        return cls(*(re.compile(words[name], re.IGNORECASE) for name in ("denied", "supposed", "asked")))

    def hold(self, text: str, match: re.Match[str], rule: Wording) -> bool:
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


def _statement(rule: Wording, masked: Masked, match: re.Match[str]) -> Statement:
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
