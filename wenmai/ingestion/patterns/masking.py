"""Sentences in which every name is one character of its kind, and so is a pronoun where it is sure whose it is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from state.context import Language
from tools.language import HAN
from tools.text.sentences import statement_spans
from wenmai.ingestion.contracts import TaggedChapter
from wenmai.ingestion.names.names import Mention, within
from wenmai.ingestion.passages.quoting import quoted_mask
from wenmai.ingestion.patterns.voices import StandIn, Voices
from wenmai.ingestion.patterns.wordings import ORGANISATION, OTHER, PERSON, PLACE

_KINDS = {"Character": PERSON, "Organization": ORGANISATION, "Location": PLACE}


@dataclass(frozen=True, slots=True)
class Masked:
    """A sentence with its names masked; `at` has the place in the chapter of every character, and of the end."""

    text: str
    at: Sequence[int]
    names: Mapping[int, Mention]
    span: tuple[int, int]

    def mentions(self, span: tuple[int, int]) -> list[Mention]:
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
        text = tagged.chapter.text
        language: Language = "zh" if HAN.search(text) else "en"
        quoted = quoted_mask(text)
        return cls(tagged, language, quoted, tuple(masked_sentences(tagged, language, quoted)))

    def is_named(self, mention: Mention) -> bool:
        return mention in within(self.tagged.mentions, mention.start, mention.end)


def masked_sentences(tagged: TaggedChapter, language: Language, quoted: bytearray) -> Iterator[Masked]:
    """Yield the sentences of a chapter that name a person, place or organisation, in order."""
    text = tagged.chapter.text
    voices = Voices(tagged, quoted, language)
    for start, end in statement_spans(text):
        pronouns = voices.stand_ins(start, end)
        names = [StandIn(mention) for mention in within(tagged.mentions, start, end)]
        if names or pronouns:
            yield _masked(
                text, (start, end), sorted([*names, *pronouns], key=lambda one: one.mention.start), tagged.kinds
            )


def _masked(text: str, span: tuple[int, int], names: Sequence[StandIn], kinds: Mapping[str, str]) -> Masked:
    pieces: list[str] = []
    at: list[int] = []
    placed: dict[int, Mention] = {}
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
