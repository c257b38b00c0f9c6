"""Salience and what the library tells, weighed against each other: who of the session's people a follow-up means."""

from collections.abc import Sequence

from wenmai.minds.offline.discourse import Discourse, Referent

Scored = list[tuple[float, Referent]]

SALIENCE = 0.16
LEAST_SALIENT = -12.0  # below the most salient one; how far below says nothing more
ANSWERS = 0.35
IN_QUESTION = 0.5
IN_ANSWER = 0.35
QUOTED = -0.55
NEWEST = 0.5
OLD = -0.25
CONTINUED = -2.0
"""Fitted with `attested.WEIGHTS`. The talk goes on with somebody far less surely than his salience says."""


def weighed(discourse: Discourse, scored: Sequence[tuple[float, Referent]], at: int) -> Scored:
    """Return people with new scores where the library was asked about this place; as they are elsewhere."""
    if discourse.attested.at != at or not scored:
        return list(scored)
    top = max(score for score, _ in scored)
    return [
        (
            SALIENCE * max(score - top, LEAST_SALIENT) + _standing(discourse, one) + discourse.attested.fit(one.name),
            one,
        )
        for score, one in scored
    ]


def _standing(discourse: Discourse, one: Referent) -> float:
    """Return what the last turn says for somebody."""
    view = discourse.turns[0]
    asked = any(other.name == one.name for other in view.question.people())
    answered = any(other.name == one.name for other in view.answerers())
    quoted = not asked and not answered and any(other.name == one.name for other in view.answer.people())
    return (
        ANSWERS * (view.focus[:1] == [one.name])
        + IN_QUESTION * asked
        + IN_ANSWER * answered
        + QUOTED * quoted
        + NEWEST * (one.age == 0)
        + OLD * (one.age > 1)
        + CONTINUED * (one.name in view.continued)
    )
