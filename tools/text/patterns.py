"""Regular expressions that a caller gives: whatever they are, they keep a process busy for a short time only."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

import regex

from tools.errors import InputError
from tools.messages import Message

LONGEST = 500  # characters
SECONDS = 2.0  # for all texts that one expression is looked for in
AT_ONCE = 0.02  # seconds without a word to other threads; to let them run costs more than a common search


@dataclass(slots=True)
class BoundedPattern:
    """A caller's expression; its searches have SECONDS together. Raises InputError for what is none."""

    text: str
    _expression: "regex.Pattern[str]" = field(init=False, repr=False)
    _left: float = field(default=SECONDS, init=False, repr=False)

    def __post_init__(self) -> None:
        if len(self.text) > LONGEST:
            raise InputError(Message("pattern.too_long", most=LONGEST, got=len(self.text)))
        try:
            self._expression = regex.compile(self.text, regex.V0)
        except (regex.error, RecursionError) as error:
            raise InputError(Message("pattern.invalid", reason=error)) from error

    def search(self, text: str) -> "regex.Match[str] | None":
        """Return the first place where a text fits. Raises InputError when the time is up."""
        return self._bounded(self._expression.search, text)

    def fits(self, text: str) -> bool:
        """Return True if a text as a whole fits. Raises InputError when the time is up."""
        return self._bounded(self._expression.fullmatch, text) is not None

    def _bounded(self, find: "Callable[..., regex.Match[str] | None]", text: str) -> "regex.Match[str] | None":
        began = time.thread_time()
        try:
            if self._left > AT_ONCE:
                with suppress(TimeoutError):
                    return find(text, timeout=AT_ONCE, concurrent=False)
            return find(text, timeout=max(self._left, AT_ONCE), concurrent=True)
        except TimeoutError as error:
            raise InputError(Message("pattern.timed_out", pattern=self.text, seconds=SECONDS)) from error
        finally:
            self._left -= time.thread_time() - began
