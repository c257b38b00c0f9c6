"""What tells that a question leaves unsaid whom the talk is about: its signs, their weights, and the fitting."""

import random

import pytest

from benchmarks.folds import FOLDS, held_out
from benchmarks.linear_fit import Example, fit_linear
from state.session import Session, SessionTurn
from tools.linking import NameTable
from tools.records import Name
from wenmai.minds.offline import unsaid
from wenmai.minds.offline.discourse import Discourse, build
from wenmai.minds.offline.linear import Linear, loaded
from wenmai.minds.offline.observing import Observer
from wenmai.minds.offline.reading import read
from wenmai.minds.offline.wordings import kinds, plain_text, runs

TABLE = NameTable.build([Name(text=name, entity=name, kind="Character", mentions=9) for name in ("赵铁山", "孙大勇")])
TURN = SessionTurn(question="赵铁山是怎么死的？", resolved="赵铁山是怎么死的？", answer="被孙大勇斩了。", entities=[])


def talk(observer: Observer | None = None) -> Discourse:
    """Return a talk of one turn about 赵铁山."""
    session = Session(entities=[], topic=None, turns=[TURN])
    return build(session, TABLE, observer=observer or Observer())


def test_a_sign_counts_once_and_one_without_a_weight_not_at_all() -> None:
    """LOP-09: log-odds are the intercept and the weights of what is shown."""
    model = Linear(-1.0, {"a": 2.0, "b": 0.5})
    assert model.score(["a", "a", "c"]) == 1.0
    assert model.score([]) == -1.0


def test_names_are_worded_alike() -> None:
    """LOP-09: what a question is worded like does not hang on who is named."""
    first, second = (read(f"{name}是怎么死的？", TABLE) for name in ("赵铁山", "孙大勇"))
    assert plain_text(first.masked) == "甲是怎么死的"
    assert list(kinds(first)) == list(kinds(second))
    assert list(runs("ab甲")) == ["a", "b", "甲", "ab", "b甲"]


def test_signs_tell_who_was_talked_of() -> None:
    """LOP-09: a question that names somebody new shows it, and one that names the talk's own people too."""
    new = NameTable.build(
        [Name(text=name, entity=name, kind="Character", mentions=9) for name in ("赵铁山", "孙大勇", "李青云")]
    )
    assert {"people=1", "new=0", "old=1"} <= set(unsaid.shown_by(read("赵铁山是谁杀的？", TABLE), talk()))
    assert {"people=1", "new=1", "old=0"} <= set(unsaid.shown_by(read("李青云是谁杀的？", new), talk()))


def test_what_it_goes_by_is_told_to_who_observes() -> None:
    """LOP-09: what is fitted is what is decided by."""

    class Kept(Observer):
        shown: tuple[str, ...] = ()

        def unsaid(self, shown: object) -> None:
            assert isinstance(shown, list)
            self.shown = tuple(shown)

    kept = Kept()
    reading = read("首级后来被带到哪里去了？", TABLE)
    discourse = talk(kept)
    assert unsaid.leaves_unsaid(reading, discourse)
    assert kept.shown == tuple(unsaid.shown_by(reading, discourse))


def test_the_weights_that_are_shipped_are_of_signs_that_are_made() -> None:
    """LOP-09: a sign that is renamed needs a new fit."""
    counts = {sign.split("=")[0] for sign in unsaid.shown_by(read("首级呢？", TABLE), talk()) if "=" in sign}
    weights = loaded(unsaid.WEIGHTS).weights
    assert {sign.split("=")[0] for sign in weights if "=" in sign} <= counts
    assert any(sign.startswith("kinds ") for sign in weights)


@pytest.mark.parametrize("sign", ["omits", "names"])
def test_fitting_finds_the_sign_that_tells(sign: str) -> None:
    """LOP-09: what is held out is judged by what was fitted on the others."""
    drawn = random.Random(4)
    examples = []
    for at in range(240):
        holds = drawn.random() < 0.5
        noise = [f"word {drawn.randrange(9)}"]
        examples.append(Example([sign, *noise] if holds else noise, holds, at % FOLDS, decides=True))
    scores = held_out(examples, fit_linear, lambda fitted, one: fitted.score(one.shown))
    assert all((score > 0) == one.holds for score, one in zip(scores, examples, strict=True))
    assert fit_linear(examples).weights[sign] > 1
