"""The trees weigh what rules say: in what answers, in drafts, and in the mind that is put together."""

from collections.abc import Collection, Sequence

import pytest

from tests.fakes import FakeEmbedder, FakePassageStore, FakeStoryGraph
from tests.graph.rig import piece
from tools.records import Name
from tools.story.linking import EntityLinker, NameTable
from wenmai.minds.offline.analysis import analyse
from wenmai.minds.offline.doubt import COLUMNS
from wenmai.minds.offline.mind import offline_mind
from wenmai.minds.offline.objections import objections
from wenmai.minds.offline.observing import NOBODY, Observer
from wenmai.minds.offline.phrasing import pieces
from wenmai.minds.offline.planner import OfflinePlanner
from wenmai.minds.offline.ranker import Ranked
from wenmai.minds.offline.refusal import answers
from wenmai.minds.offline.resolver import OfflineResolver

TABLE = NameTable.build([Name(text=n, entity=n, kind="Character", mentions=9) for n in ("赵铁山", "孙大勇")])
KILLED = "孙大勇在石桥边截住赵铁山，手起一枪，搠于马下，奔回大营去了。"
OTHERS = ("路远天黑，众人都走了。", "雪停了。", "次日孙大勇又到城下。", "城中无人。", "月上东山。")


class Trusting(Observer):
    is_trusting = True

    def __init__(self) -> None:
        self.texts: list[Sequence[str]] = []
        self.phrased: list[Collection[str]] = []
        self.rows: list[Sequence[float]] = []

    def doubts(self, row: Sequence[float], phrased: Collection[str], texts: Sequence[str]) -> None:
        self.rows.append(row)
        self.texts.append(texts)
        self.phrased.append(phrased)


def ranked(*texts: str) -> list[Ranked]:
    return [Ranked({**piece(text, n), "score": 0.75}, -1.0, 0.05) for n, text in enumerate(texts)]


def weighed(question: str, *texts: str, observer: Observer = NOBODY) -> tuple[frozenset[str], bool]:
    """Return which rules speak against texts, the first of them much the best one, and whether they answer."""
    asked = analyse(question, TABLE)
    evidence = [Ranked({**piece(text, n), "score": 0.85}, 1.5 - n * 0.6, 0.8 - n * 0.2) for n, text in enumerate(texts)]
    return objections(asked, texts, TABLE), answers(asked, evidence, TABLE, observer)


def test_what_no_rule_speaks_against_may_still_be_doubted() -> None:
    """S003-D08: who observes hears of it, and may have it answered all the same."""
    question = "孙大勇在石桥边杀了赵铁山以后去了哪里？"
    assert weighed(question, KILLED, *OTHERS) == (frozenset(), False)
    trusting = Trusting()
    assert weighed(question, KILLED, *OTHERS, observer=trusting) == (frozenset(), True)
    assert trusting.texts == [[KILLED, *OTHERS]]
    assert trusting.phrased == [pieces(analyse(question, TABLE))]


def test_a_rule_does_not_refuse_by_itself() -> None:
    """S003-D08: a story tells a death in words that the rule does not know."""
    assert weighed("赵铁山是怎么死的？", KILLED, *OTHERS) == (frozenset({"death"}), True)


@pytest.mark.parametrize("question", ["赵铁山后来活到多大年纪？", "赵铁山的妻子叫什么名字？"])
def test_what_stories_seldom_tell_and_rules_speak_against_is_refused(question: str) -> None:
    """S003-D08: an age at the end, the name of a wife; the trees read how many rules object."""
    trusting = Trusting()
    assert not weighed(question, KILLED, *OTHERS)[1]
    rules, _ = weighed(question, KILLED, *OTHERS, observer=trusting)
    assert dict(zip(COLUMNS, trusting.rows[0], strict=True))["objections"] == len(rules) > 0


def test_an_objection_refuses_an_english_question() -> None:
    """S003-D08: the trees were fitted on Chinese, so they are not asked."""
    table = NameTable.build([Name(text="Chasca", entity="Chasca", kind="Character", mentions=9)])
    text, trusting = "Chasca meets the captain at the quay.", Trusting()
    asked = analyse("Where did Zorgon meet Chasca?", table)
    assert objections(asked, [text], table) == {"names"}
    assert not answers(asked, ranked(text), table, trusting)
    assert answers(analyse("Where did the captain meet Chasca?", table), ranked(text), table, trusting)
    assert trusting.texts == []


def test_an_outline_is_not_doubted() -> None:
    """S003-D08: what a chapter tells is told by whatever stands in it."""
    trusting = Trusting()
    assert answers(analyse("第1章讲了什么？", TABLE), ranked("雪停了。", "天晴了。"), TABLE, trusting)
    assert trusting.texts == []


def test_the_mind_hands_its_observer_to_who_decides() -> None:
    """LOP-09: resolver and composer tell one observer."""
    observer = Trusting()
    mind = offline_mind(EntityLinker(FakeStoryGraph()), FakePassageStore(), FakeEmbedder(), observer=observer)
    assert isinstance(mind.planner, OfflinePlanner)
    assert isinstance(mind.resolver, OfflineResolver)
    assert mind.planner.composer.observer is mind.resolver.observer is observer
