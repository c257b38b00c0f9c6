"""Whether any rule speaks against texts as evidence of a question."""

from tests.graph.rig import piece
from tools.story.linking import NameTable
from wenmai.minds.offline.analysis import analyse
from wenmai.minds.offline.objections import objections
from wenmai.minds.offline.ranker import Ranked
from wenmai.minds.offline.refusal import admissible


def unopposed(question: str, texts: tuple[str, ...], table: NameTable) -> bool:
    """Return whether texts are evidence of a question at all, and no rule speaks against them."""
    analysis = analyse(question, table)
    ranked = [Ranked(piece(text, number), 1.0, 1.0) for number, text in enumerate(texts, 1)]
    return admissible(analysis, ranked, table) and not objections(analysis, texts, table)
