"""Rows of who may be meant: what is said of each, and how far he is ahead of the others in it."""

import pytest

from state.session import Session, SessionTurn
from tools.records import Name
from tools.story.linking import NameTable
from wenmai.minds.offline.attested import open_place
from wenmai.minds.offline.discourse import Discourse, build
from wenmai.minds.offline.observing import Observer
from wenmai.minds.offline.open_places import Attested
from wenmai.minds.offline.weighing import COLUMNS, rows_of, weighed

NAMES = ("赵铁山", "孙大勇", "李青云")
TABLE = NameTable.build([Name(text=name, entity=name, kind="Character", mentions=9) for name in NAMES])
OLDER = ("李青云住在哪里？", "他住在石门关。")
LAST = ("赵铁山为什么恨孙大勇？", "因为粮仓被烧了。")
QUESTION = "他后来去了哪里？"


def talk(observer: Observer | None = None) -> Discourse:
    """Return a talk: the older turn names 李青云, the last one 赵铁山 before 孙大勇."""
    turns = [SessionTurn(question=q, resolved=q, answer=a, entities=[]) for q, a in (OLDER, LAST)]
    discourse = build(Session(entities=[], topic=None, turns=turns), TABLE, observer=observer or Observer())
    discourse.attested = Attested(open_place(QUESTION, TABLE))
    return discourse


def told(column: str) -> dict[str, float]:
    """Return a column of the rows, by name."""
    discourse = talk()
    left = discourse.attested.left
    assert left is not None
    people = discourse.people()
    rows = rows_of(discourse, left, [(one.score, one) for one in people], {})
    return {one.name: row[COLUMNS.index(column)] for one, row in zip(people, rows, strict=True)}


@pytest.mark.parametrize(
    ("column", "nearest", "next_one", "farthest"),
    [
        ("row", "赵铁山", "孙大勇", "李青云"),
        ("age", "赵铁山", "孙大勇", "李青云"),
        ("asked_age", "赵铁山", "孙大勇", "李青云"),
    ],
)
def test_who_is_nearest_is_ahead(column: str, nearest: str, next_one: str, farthest: str) -> None:
    """LOP-09: of places in a row and ages less is more."""
    plain, ahead = told(column), told(f"{column} ahead")
    assert plain[nearest] <= plain[next_one] < plain[farthest]
    assert ahead[nearest] >= ahead[next_one] > ahead[farthest]
    assert ahead[farthest] == min(plain[nearest], plain[next_one]) - plain[farthest]


def test_who_has_most_is_ahead() -> None:
    """LOP-09: of salience and all else more is more."""
    plain, ahead = told("salience"), told("salience ahead")
    best = max(plain, key=lambda name: plain[name])
    assert ahead[best] > 0
    assert all(value < 0 for name, value in ahead.items() if name != best)


def test_whom_the_answer_does_not_name_stands_nowhere_in_it() -> None:
    """LOP-09: he is farther than anybody whom it names."""
    assert set(told("answer_offset").values()) == {9.0}
    assert set(told("answer_offset ahead").values()) == {0.0}


def test_who_observes_is_told_the_rows_that_decide() -> None:
    """LOP-09: what is fitted is what is weighed, in the same order."""

    class Kept(Observer):
        names: tuple[str, ...] = ()
        columns: int = 0

        def meant(self, names: object, rows: object) -> None:
            assert isinstance(names, list)
            assert isinstance(rows, list)
            self.names, self.columns = tuple(names), len(rows[0])

    kept = Kept()
    discourse = talk(kept)
    left = discourse.attested.left
    assert left is not None
    scored = weighed(discourse, [(one.score, one) for one in discourse.people()], left.at)
    assert kept.names == tuple(one.name for _, one in scored)
    assert kept.columns == len(COLUMNS)
