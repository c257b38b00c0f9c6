"""Who is told what the offline mind decides by, so that it can be fitted on what it really saw."""

from collections.abc import Sequence


class Observer:
    """Is told, and does nothing with it; `benchmarks.follow_ups` keeps it."""

    def meant(self, names: Sequence[str], rows: Sequence[Sequence[float]]) -> None:
        """Take whom a follow-up may mean, and a row of `weighing.COLUMNS` of each."""

    def refers(self, row: Sequence[float]) -> None:
        """Take the row of `refers.COLUMNS` of a question of which the rules found nothing left out."""


NOBODY = Observer()
