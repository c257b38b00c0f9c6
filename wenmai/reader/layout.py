"""What goes into the encoder and what its one output matrix means; training and the product share it."""

from dataclasses import dataclass
from enum import IntEnum

LONGEST = 256  # tokens of one input, with its marks of begin and end
TEXT_ROOM = LONGEST - 2  # tokens of a text beside the marks of begin and end
PASSAGE_ROOM = LONGEST - 3  # tokens of a question and a passage beside their marks
LONGEST_QUESTION = 60
LONGEST_TALK = 180


class Segment(IntEnum):
    """The kind of a token; each has a vector of its own, added to the word's."""

    TEXT = 0
    QUESTION = 1
    PASSAGE = 2
    FOLLOW_UP = 3
    TALK = 4
    MENTION = 5


class Column(IntEnum):
    """Logits of a token. Those named `ANY_…` are read at the first token and stand for the whole input."""

    START = 0
    END = 1
    SENTENCE = 2
    ANY_ANSWER = 3
    NAME = 4  # and six more, in the order of `NAME_TAGS`
    MENTION = 11  # and two more: outside, begin, inside
    ANY_REFERENCE = 14
    ANY_GAP = 15
    ANTECEDENT = 16  # and two more: outside, begin, inside


class NameKind(IntEnum):
    """What a name is of; the encoder has a begin and an inside tag of each, in this order."""

    PERSON = 0
    PLACE = 1
    ORGANISATION = 2


COLUMNS = 19
NAME_TAGS = 1 + 2 * len(NameKind)  # outside; begin and inside of each kind
SPAN_TAGS = 3
OUTSIDE, BEGIN, INSIDE = 0, 1, 2


@dataclass(frozen=True, slots=True)
class TaggedSpan:
    """A tagged span: half-open character offsets, what it is, and the mean probability of its tokens."""

    start: int
    end: int
    kind: int
    probability: float = 1.0
