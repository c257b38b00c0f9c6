"""What evidence says of a question, and whether trees believe that it answers."""

from collections.abc import Collection, Sequence

from tests.graph.rig import piece
from tools.records import Name
from tools.story.linking import NameTable
from wenmai.minds.offline.analysis import analyse
from wenmai.minds.offline.doubt import COLUMNS, TREE_COLUMNS, TREES, doubtful, full_row, row_of
from wenmai.minds.offline.matching import terms_of
from wenmai.minds.offline.objections import RULE_NAMES
from wenmai.minds.offline.observing import Observer
from wenmai.minds.offline.phrasing import log_odds, piece_weights, pieces
from wenmai.minds.offline.ranker import Ranked
from wenmai.minds.offline.said import APART, Said
from wenmai.minds.offline.trees import loaded

CERTAIN = 9.0  # log-odds that no evidence reaches
TABLE = NameTable.build([Name(text=n, entity=n, kind="Character", mentions=9) for n in ("赵铁山", "孙大勇", "李青云")])


class Seen(Observer):
    def __init__(self, *, is_trusting: bool = False) -> None:
        self.is_trusting = is_trusting
        self.rows: list[tuple[Sequence[float], Collection[str], Sequence[str]]] = []

    def doubts(self, row: Sequence[float], phrased: Collection[str], texts: Sequence[str]) -> None:
        self.rows.append((row, phrased, texts))


def ranked(*texts: str, score: float = 1.0) -> list[Ranked]:
    return [Ranked(piece(text, number), score - number / 10, score / 2) for number, text in enumerate(texts)]


def row(question: str, *texts: str) -> dict[str, float]:
    return dict(zip(COLUMNS, row_of(analyse(question, TABLE), ranked(*texts), TABLE, ()), strict=True))


def test_the_trees_read_the_columns_that_are_made() -> None:
    """S003-D08: columns have one name each, in the order in which they were fitted."""
    assert loaded(TREES).columns == TREE_COLUMNS
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
    """S003-D08: with a trusting observer what trees doubt is answered."""
    analysis, evidence = analyse("赵铁山的玉佩是谁雕的？", TABLE), ranked("赵铁山送客。")
    plain, trusting = Seen(), Seen(is_trusting=True)
    assert doubtful(analysis, evidence, TABLE, ["shape"], plain, CERTAIN)
    assert not doubtful(analysis, evidence, TABLE, [], least=-CERTAIN)
    assert not doubtful(analysis, evidence, TABLE, ["shape"], trusting, CERTAIN)
    row = row_of(analysis, evidence, TABLE, ["shape"])
    assert plain.rows == trusting.rows == [(row, pieces(analysis), ["赵铁山送客。"])]


def test_objections_are_columns() -> None:
    """S003-D08: one for each rule, and their number."""
    analysis, evidence = analyse("赵铁山的玉佩有多重？", TABLE), ranked("赵铁山送客。")
    told = dict(zip(COLUMNS, row_of(analysis, evidence, TABLE, ["shape", "names"]), strict=True))
    assert [name for name in RULE_NAMES if told[name]] == ["names", "shape"]
    assert told["objections"] == 2


def level(question: str, text: str, against: Collection[str] = ()) -> float:
    """Return the level at which evidence begins to be doubted, to a tenth."""
    analysis, evidence = analyse(question, TABLE), ranked(text)
    return next(at / 10 for at in range(-90, 91) if doubtful(analysis, evidence, TABLE, against, least=at / 10))


def test_an_objection_makes_evidence_the_more_doubtful() -> None:
    """S003-D08: the same evidence, with and without a rule that speaks against it."""
    question, text = "赵铁山的铁枪有多重？", "赵铁山绰铁枪上马，直取孙大勇。"
    assert level(question, text, ["shape", "attribute"]) < level(question, text)


def test_what_stories_seldom_tell_is_doubted_the_more() -> None:
    """S003-D08: the same row of a question that is put in an unlikely and in a likely way."""
    row = row_of(analyse("赵铁山在哪里？", TABLE), ranked("赵铁山在石桥边。"), TABLE, ())
    unlikely, likely = loaded(TREES).scores([full_row(row, -2.0), full_row(row, 2.0)])
    assert unlikely < likely


def test_the_level_is_that_of_the_row_and_of_how_the_question_is_put() -> None:
    """S003-D08: evidence is doubted up to the log-odds that the trees give."""
    analysis, evidence = analyse("赵铁山后来活到多大岁数？", TABLE), ranked("赵铁山在石桥边。")
    row = full_row(row_of(analysis, evidence, TABLE, ["shape"]), log_odds(pieces(analysis), piece_weights()))
    told = loaded(TREES).scores([row])[0]
    assert doubtful(analysis, evidence, TABLE, ["shape"], least=told)
    assert not doubtful(analysis, evidence, TABLE, ["shape"], least=told - 0.001)
