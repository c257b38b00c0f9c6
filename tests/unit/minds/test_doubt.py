"""What evidence says of a question, and whether trees believe that it answers."""

from collections.abc import Sequence

import pytest

from tests.graph.rig import piece
from tools.linking import NameTable
from tools.records import Name
from wenmai.minds.offline.analysis import analyse
from wenmai.minds.offline.doubt import COLUMNS, MOST_PRIOR, PRIOR_WEIGHT, TREES, doubtful, prior, row_of
from wenmai.minds.offline.matching import terms_of
from wenmai.minds.offline.observing import Observer
from wenmai.minds.offline.ranker import Ranked
from wenmai.minds.offline.said import APART, Said
from wenmai.minds.offline.sought import word_weights
from wenmai.minds.offline.trees import loaded

CERTAIN = 9.0  # log-odds that no evidence reaches
TABLE = NameTable.build([Name(text=n, entity=n, kind="Character", mentions=9) for n in ("赵铁山", "孙大勇", "李青云")])


class Seen(Observer):
    def __init__(self, *, is_trusting: bool = False) -> None:
        self.is_trusting = is_trusting
        self.rows: list[tuple[Sequence[float], Sequence[str]]] = []

    def doubts(self, row: Sequence[float], texts: Sequence[str]) -> None:
        self.rows.append((row, texts))


def ranked(*texts: str, score: float = 1.0) -> list[Ranked]:
    return [Ranked(piece(text, number), score - number / 10, score / 2) for number, text in enumerate(texts)]


def row(question: str, *texts: str) -> dict[str, float]:
    return dict(zip(COLUMNS, row_of(analyse(question, TABLE), ranked(*texts), TABLE), strict=True))


def test_the_trees_read_the_columns_that_are_made() -> None:
    """S003-D08: columns have one name each, in the order in which they were fitted."""
    assert loaded(TREES).columns == COLUMNS
    assert len(set(COLUMNS)) == len(COLUMNS)


def test_what_two_sentences_say_together_counts_more_than_what_is_scattered() -> None:
    """S003-D08: all words beside the name, or each somewhere."""
    question = "赵铁山在石桥边埋了宝剑吗？"
    together = row(question, "赵铁山在石桥边埋了宝剑。众人不知。")
    scattered = row(question, "赵铁山走了。路远。天黑。", "石桥边有人。", "宝剑埋在雪里。")
    assert together["said_with"] == together["said"] == 1.0
    assert scattered["said_with"] < scattered["said"] < 1.0
    assert scattered["unsaid"] == 0.0
    assert scattered["unsaid_with"] > together["unsaid_with"] == 0.0


def test_a_word_that_stands_nowhere_is_unsaid() -> None:
    """S003-D08: 玉佩 is in no text."""
    assert row("赵铁山的玉佩是谁送的？", "赵铁山送客。")["unsaid"] > 0


def test_the_word_beside_the_question_word_is_sought_near_the_name() -> None:
    """S003-D08: 宝剑 of 赵铁山的宝剑叫什么; what does not meet is far apart."""
    question = "赵铁山的宝剑叫什么？"
    analysis = analyse(question, TABLE)
    said = Said.of(analysis, terms_of(analysis, TABLE), ranked("赵铁山拔宝剑。"))
    assert said.focus is not None
    assert said.focus.key == "宝剑"
    assert said.apart() == 4
    assert row(question, "赵铁山走了。路远。天黑。宝剑在雪里。")["apart"] == APART


def test_a_question_without_names_or_words_has_a_row_all_the_same() -> None:
    """S003-D08: nothing is divided by nothing."""
    assert row("谁？", "赵铁山走了。")["apart"] == -1
    assert row("赵铁山呢？", "赵铁山走了。")["verbs_with"] == -1


def test_the_names_that_are_asked_for_are_looked_for() -> None:
    """S003-D08: -1 where no name is asked for."""
    assert row("赵铁山的马叫什么？", "赵铁山的马名叫乌云。")["named"] == 2
    assert row("赵铁山的马叫什么？", "孙大勇名叫乌云。")["named"] == 1
    assert row("赵铁山骑马去哪里？", "赵铁山的马名叫乌云。")["named"] == -1


def test_who_observes_is_told_and_may_trust() -> None:
    """S003-D08: with a trusting observer what trees alone doubt is answered."""
    analysis, pieces = analyse("赵铁山的玉佩是谁雕的？", TABLE), ranked("赵铁山送客。")
    plain, trusting = Seen(), Seen(is_trusting=True)
    assert doubtful(analysis, pieces, TABLE, (), plain, CERTAIN)
    assert not doubtful(analysis, pieces, TABLE, (), least=-CERTAIN)
    assert not doubtful(analysis, pieces, TABLE, (), trusting, CERTAIN)
    assert plain.rows == trusting.rows == [(row_of(analysis, pieces, TABLE), ["赵铁山送客。"])]


@pytest.mark.parametrize("question", ["Who carved the jade?", "What did Chasca lose?"])
def test_only_chinese_questions_are_doubted(question: str) -> None:
    """S003-D08: the trees were fitted on Chinese."""
    assert not doubtful(analyse(question, TABLE), ranked("赵铁山送客。"), TABLE, (), least=CERTAIN)


def test_what_stories_seldom_tell_is_doubted_the_more() -> None:
    """S003-D08: odds below nothing take from the trees' as far as they are bounded, unless all of it is said."""
    said = list(row("赵铁山埋了宝剑吗？", "赵铁山埋了宝剑。").values())
    unsaid = list(row("赵铁山送了玉佩吗？", "赵铁山埋了宝剑。").values())
    assert prior(unsaid, -1.0) == -PRIOR_WEIGHT
    assert prior(unsaid, -9.0) == -PRIOR_WEIGHT * MOST_PRIOR
    assert prior(said, -9.0) == 0.0
    assert prior(said, 1.0) == prior(unsaid, 1.0) == PRIOR_WEIGHT


def test_words_alone_can_make_evidence_doubtful() -> None:
    """S003-D08: the same evidence, between what words that stories tell often and what seldom told ones add."""
    analysis, pieces = analyse("赵铁山送了玉佩吗？", TABLE), ranked("赵铁山埋了宝剑。")
    level = loaded(TREES).scores([row_of(analysis, pieces, TABLE)])[0]
    weights = sorted(word_weights().items(), key=lambda pair: pair[1])
    seldom, often = ([word for word, _ in some if word] for some in (weights[:3], weights[-3:]))
    assert doubtful(analysis, pieces, TABLE, seldom, least=level)
    assert not doubtful(analysis, pieces, TABLE, often, least=level)
