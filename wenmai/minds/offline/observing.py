"""Who is told what the offline mind decides by, so that it can be fitted on what it really saw."""

from collections.abc import Collection, Sequence


class Observer:
    """Is told, and does nothing with it; `benchmarks.follow_ups` and `benchmarks.refusals` keep it.

    With `is_trusting` what trees doubt is answered all the same.
    """

    is_trusting = False

    def meant(self, names: Sequence[str], rows: Sequence[Sequence[float]]) -> None:
        """Take whom a follow-up may mean, and a row of `weighing.COLUMNS` of each."""

    def refers(self, row: Sequence[float]) -> None:
        """Take the row of `refers.COLUMNS` of a question of which the rules found nothing left out."""

    def doubts(self, row: Sequence[float], phrased: Collection[str], texts: Sequence[str]) -> None:
        """Take the row of `doubt.COLUMNS` of a question, the pieces of its phrasing, and the texts of its evidence."""


NOBODY = Observer()
