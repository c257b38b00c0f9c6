"""Half-open spans of characters."""

from collections.abc import Iterable

Span = tuple[int, int]


def meet(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def covering(spans: Iterable[Span], span: Span) -> Span:
    """Return the run of ordered spans that a span meets, as one; the span itself where it meets none."""
    met = [one for one in spans if meet(one, span)]
    return (met[0][0], met[-1][1]) if met else span
