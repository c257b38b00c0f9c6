"""Regular expressions that a caller gives: whatever they are, they keep a process busy for a short time only."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

import regex

from tools.errors import InputError
from tools.wording import Words

LONGEST = 500  # characters
SECONDS = 2.0  # for all texts that one expression is looked for in
AT_ONCE = 0.02  # seconds without a word to other threads; to let them run costs more than a common search
TOO_LONG = Words(
    "正则表达式最长 {most} 个字符，收到 {got} 个：请写短一些",
    "a regular expression has {most} characters at most, got {got}: write a shorter one",
)
NOT_ONE = Words("不是有效的正则表达式（{reason}）", "this is no regular expression ({reason})")
TOO_SLOW = Words(
    "正则表达式 {pattern} 在 {seconds:g} 秒内没有查完：请写得简单一些，例如不要在重复里再套重复",
    "the regular expression {pattern} takes longer than {seconds:g} seconds: write a simpler one, say without a "
    "repetition inside a repetition",
)


@dataclass(slots=True)
class BoundedPattern:
    """A caller's expression; its searches have SECONDS together. Raises InputError for what is none."""

    text: str
    _expression: "regex.Pattern[str]" = field(init=False, repr=False)
    _left: float = field(default=SECONDS, init=False, repr=False)

    def __post_init__(self) -> None:
        if len(self.text) > LONGEST:
            raise InputError(TOO_LONG.of(most=LONGEST, got=len(self.text)))
        try:
            self._expression = regex.compile(self.text, regex.V0)
        except (regex.error, RecursionError) as error:
            raise InputError(NOT_ONE.of(reason=error)) from error

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
            raise InputError(TOO_SLOW.of(pattern=self.text, seconds=SECONDS)) from error
        finally:
            self._left -= time.thread_time() - began
