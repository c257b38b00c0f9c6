"""Where a question leaves a person open, and what passages tell of each who may be meant."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from wenmai.minds.offline.anaphor import Form
from wenmai.minds.offline.reading import Reading
from wenmai.minds.offline.signs import UNTOLD, Peaks
from wenmai.minds.offline.subjects import Gap


@dataclass(frozen=True, slots=True)
class OpenPlace:
    """Where a question leaves a person open.

    Attributes:
        at: where the word begins that refers back, or what is left out belongs; `end` where the word ends.
        form: of the word; None where somebody is left out.
        gap: what is left out; None where a word refers back.
        question: as it was asked, `blanked` with 谁 there.
        named: whom it names.
        female: True where the word says that it is a woman, False for a man, None where it does not tell.
        telling: it says something that tells people apart.
        object: the word is the object of a verb.
    """

    at: int
    end: int
    form: Form | None
    gap: Gap | None
    question: Reading
    blanked: Reading
    named: Collection[str]
    female: bool | None
    telling: bool
    object: bool


@dataclass(frozen=True, slots=True)
class Attested:
    """What passages tell of each who may be meant, by name; `left` is None where salience alone is to decide.

    Where the question tells nothing of anybody the library was not asked.
    """

    left: OpenPlace | None = None
    told: Mapping[str, Peaks] = field(default_factory=dict)

    @property
    def at(self) -> int | None:
        """Return where the place is that is open."""
        return self.left.at if self.left else None

    def peaks(self, name: str) -> Peaks:
        """Return what the passages tell of somebody."""
        return self.told.get(name, UNTOLD)


UNASKED = Attested()
