"""The trees stand behind the rules: in what answers, in drafts, and in the mind that is put together."""

from collections.abc import Collection, Sequence

from tests.fakes import FakeEmbedder, FakePassageStore, FakeStoryGraph
from tests.graph.rig import piece
from tools.linking import EntityLinker, NameTable
from tools.records import Name
from wenmai.minds.offline.analysis import analyse
from wenmai.minds.offline.mind import offline_mind
from wenmai.minds.offline.observing import Observer
from wenmai.minds.offline.planner import OfflinePlanner
from wenmai.minds.offline.ranker import Ranked
from wenmai.minds.offline.refusal import answers, passes_rules
from wenmai.minds.offline.resolver import OfflineResolver
from wenmai.minds.offline.sought import sought

TABLE = NameTable.build([Name(text="赵铁山", entity="赵铁山", kind="Character", mentions=9)])


class Trusting(Observer):
    is_trusting = True

    def __init__(self) -> None:
        self.texts: list[Sequence[str]] = []
        self.sought: list[Collection[str]] = []

    def seeks(self, words: Collection[str]) -> None:
        self.sought.append(words)

    def doubts(self, row: Sequence[float], texts: Sequence[str]) -> None:
        self.texts.append(texts)


def ranked(*texts: str) -> list[Ranked]:
    return [Ranked({**piece(text, n), "score": 0.75}, -1.0, 0.05) for n, text in enumerate(texts)]


def test_what_the_rules_let_through_may_still_be_doubted() -> None:
    """S003-D08: who observes hears of it, and may have it answered all the same."""
    question, pieces = (
        analyse("赵铁山昨夜梦见了什么，醒来又对谁说了哪些话？", TABLE),
        ranked("赵铁山送客。", "雪停了。"),
    )
    assert passes_rules(question, pieces, TABLE)
    trusting = Trusting()
    assert answers(question, pieces, TABLE, trusting)
    assert trusting.texts == [["赵铁山送客。", "雪停了。"]]
    assert trusting.sought == [sought(question)]


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
