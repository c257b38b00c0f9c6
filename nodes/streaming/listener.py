"""What a model's turn is written to."""

from typing import Protocol


class Listener(Protocol):
    """Takes a model's turn as it is written."""

    def words(self, piece: str) -> None:
        """Take words of its text."""
        ...

    def thought(self, words: str) -> None:
        """Take words of its thoughts."""
        ...

    def restart(self) -> None:
        """Forget what came: the turn begins anew."""
        ...
