"""Who is named where in a session: what weighing asks for each of its people, and is the same for all."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from wenmai.minds.offline.discourse import Discourse, first_named
from wenmai.minds.offline.reading import Named
from wenmai.minds.offline.turns import TurnView


@dataclass(frozen=True, slots=True)
class Talk:
    """Who is named where in a session that has a turn; rows of turns begin with the newest.

    Attributes:
        ranked: the session's people, most salient first.
        asked: whom the last question names, in order, each with the first place; `answered` whom its answer names in
            its own words.
        in_questions: whom the question of each turn names, `by_user` of these whom the turn did not go on with,
            `in_answers` whom its answer names; `firsts` is the name that the question is about.
    """

    discourse: Discourse
    ranked: Sequence[str]
    asked: Mapping[str, Named]
    answered: Mapping[str, Named]
    in_questions: Sequence[frozenset[str]]
    by_user: Sequence[frozenset[str]]
    in_answers: Sequence[frozenset[str]]
    firsts: Sequence[str | None]

    @property
    def last(self) -> TurnView:
        """Return the last turn."""
        return self.discourse.turns[0]


def talk_of(discourse: Discourse) -> Talk:
    """Return who is named where in a session."""
    turns = discourse.turns
    in_questions = [_names(view.question.people()) for view in turns]
    return Talk(
        discourse=discourse,
        ranked=[one.name for one in discourse.people()],
        asked=_first_places(turns[0].question.people()),
        answered=_first_places(turns[0].answerers()),
        in_questions=in_questions,
        by_user=[names.difference(view.continued) for names, view in zip(in_questions, turns, strict=True)],
        in_answers=[_names(view.answer.people()) for view in turns],
        firsts=[first_named(view) for view in turns],
    )


def _names(people: Iterable[Named]) -> frozenset[str]:
    return frozenset(one.name for one in people)


def _first_places(people: Iterable[Named]) -> dict[str, Named]:
    places: dict[str, Named] = {}
    for one in people:
        places.setdefault(one.name, one)
    return places
