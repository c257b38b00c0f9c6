"""What an offline answer begins with."""

from dataclasses import dataclass

from wenmai.minds.offline.ranker import Ranked


@dataclass(frozen=True, slots=True)
class Lead:
    """The piece that answers best and, where somebody is asked for, the name.

    Attributes:
        name: canonical; None where the piece itself is the answer.
        sure: the graph tells it; otherwise it is only the likeliest.
    """

    row: Ranked
    name: str | None
    sure: bool
