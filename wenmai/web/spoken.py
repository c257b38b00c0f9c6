"""The language of what is told to a caller: that of Accept-Language, else of the process."""

from contextlib import nullcontext
from dataclasses import dataclass

from starlette.types import ASGIApp, Receive, Scope, Send

from state.context import Language
from tools.holding import holding
from tools.wording import AFAR, speaking
from wenmai.web.doors import headers_of

ANY = "*"
QUALITY = "q="


@dataclass(frozen=True, slots=True)
class Spoken:
    """ASGI middleware that sets the language of every refusal and warning behind it, for readers who are not here."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on in the language of the caller, if the request names one."""
        language = preferred(headers_of(scope).get("accept-language", ""))
        with holding(AFAR, True), speaking(language) if language else nullcontext():
            await self.app(scope, receive, send)


def preferred(given: str) -> Language | None:
    """Return what a header prefers (RFC 9110, section 12.5.4): English for all but Chinese; None without a name."""
    ranges = [one.strip().lower() for one in given.split(",")]
    named = [one for one in ranges if one and not one.startswith(ANY) and quality(one) > 0]
    if not named:
        return None
    return "zh" if max(named, key=quality).startswith("zh") else "en"


def quality(given: str) -> float:
    """Return the weight of a language range, 1 where none is told, 0 for one that cannot be read."""
    weight = given.partition(";")[2].strip()
    try:
        return float(weight.removeprefix(QUALITY)) if weight else 1.0
    except ValueError:
        return 0.0
