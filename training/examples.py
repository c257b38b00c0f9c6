"""What a corpus gives, in characters: questions on passages, names in texts, references in talks."""

from dataclasses import dataclass, field

from wenmai.language.spans import Span
from wenmai.reader.inputs import Turn


@dataclass(frozen=True, slots=True)
class Question:
    """A question on a passage.

    Attributes:
        question: as asked.
        passage: where the answer is looked for.
        answerable: whether the passage answers it.
        answer: the span of the answer, where one is known.
        proof: the span of the sentence that answers, where it is known.
    """

    question: str
    passage: str
    answerable: bool
    answer: Span | None = None
    proof: Span | None = None


@dataclass(frozen=True, slots=True)
class Names:
    """A text with the names in it: (start, end, kind), kind a `NameKind`; None marks what nobody judged."""

    text: str
    names: list[tuple[int, int, int | None]]


@dataclass(frozen=True, slots=True)
class Reference:
    """Words of a question that stand for something said before; `GAP` stands for what is left out."""

    mention: Span
    antecedents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A question after a talk, and what in it refers to the talk; nothing where it is self-contained.

    `found` is False where nobody marked the words that refer, so that only the antecedents are known.
    """

    question: str
    talk: list[Turn]
    references: list[Reference] = field(default_factory=list)
    found: bool = True


Example = Question | Names | FollowUp
