"""What was read once is not read again."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from nodes.roles import ReadAnswer
from tests.unit.minds.scripted import ScriptedReader
from wenmai.reader.answer_cache import KEPT, AnswerCache


@dataclass
class Counted:
    """A reader that keeps what it was asked."""

    history: list[tuple[str, str]] = field(default_factory=list)

    def answers(self, question: str, passage: str) -> Sequence[ReadAnswer]:
        self.history.append((question, passage))
        return ScriptedReader({"圣火": 1.0}).answers(question, passage)


def test_a_passage_is_read_once_for_a_question() -> None:
    reader = Counted()
    cache = AnswerCache(lambda: reader)

    first, again = cache.answers("谁？", "她点燃圣火。"), cache.answers("谁？", "她点燃圣火。")
    cache.answers("哪里？", "她点燃圣火。")

    assert [one.span for one in first] == [one.span for one in again] == [(3, 5)]
    assert reader.history == [("谁？", "她点燃圣火。"), ("哪里？", "她点燃圣火。")]


def test_only_the_last_passages_are_kept() -> None:
    reader = Counted()
    cache = AnswerCache(lambda: reader)
    for number in range(KEPT + 1):
        cache.answers("谁？", str(number))

    cache.answers("谁？", str(KEPT))
    cache.answers("谁？", "0")

    assert reader.history[KEPT + 1 :] == [("谁？", "0")]


def test_the_cache_stands_for_the_reader_and_for_its_absence() -> None:
    present, absent = AnswerCache(Counted), AnswerCache(lambda: None)

    assert present() is present
    assert absent() is None and absent.answers("谁？", "她点燃圣火。") == ()
