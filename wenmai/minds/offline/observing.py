"""Who is told what the offline mind decides by, so that it can be fitted on what it really saw."""

from collections.abc import Collection, Sequence


class Observer:
    """Is told, and does nothing with it; `benchmarks.follow_ups` keeps it."""

    def meant(self, names: Sequence[str], rows: Sequence[Sequence[float]]) -> None:
        """Take whom a follow-up may mean, and a row of `weighing.COLUMNS` of each."""

    def unsaid(self, shown: Collection[str]) -> None:
        """Take the signs of `unsaid.shown_by`."""


NOBODY = Observer()
