"""The answer that networks give to a question, whatever it asks of them."""

from collections.abc import Sequence

from state.context import Language
from state.schema import Evidence
from tools.networks.lexicon import Lexicon
from wenmai.minds.offline.networks.drafting import network_draft
from wenmai.minds.offline.networks.ranking import is_network, without_names
from wenmai.minds.offline.networks.shapes import asked_of
from wenmai.minds.offline.networks.telling import Teller


def network_answer(question: str, evidence: Sequence[Evidence], language: Language, lexicon: Lexicon) -> str | None:
    """Return the answer that networks give, None where they hold none.

    Args:
        question: the resolved one.
        evidence: all of the attempt; marks are numbered by it.
        language: of the answer's own words.
        lexicon: of the run's networks.
    """
    asked = asked_of(question, lexicon)
    if asked.shape is not None:
        plain = without_names(asked.question, [piece for piece in evidence if is_network(piece)])
        told = Teller(evidence, language, plain).tell(asked.shape)
        if told is not None:
            return told or None
    return network_draft(asked.question, evidence, language, lexicon.labels)
