"""The answer that networks give to a question, whatever it asks of them."""

from nodes.roles import PlanRequest
from tools.networks.lexicon import Lexicon
from wenmai.minds.offline.networks.drafting import network_draft
from wenmai.minds.offline.networks.guide import totals_of
from wenmai.minds.offline.networks.ranking import is_network, without_names
from wenmai.minds.offline.networks.shapes import asked_of
from wenmai.minds.offline.networks.telling import Teller


def network_answer(request: PlanRequest, lexicon: Lexicon) -> str | None:
    """Return the answer that the evidence of networks gives, None where they hold none; marks are numbered by it."""
    asked, evidence = asked_of(request.resolved, lexicon), request.evidence
    if asked.shape is not None:
        plain = without_names(asked.question, [piece for piece in evidence if is_network(piece)])
        totals = None if lexicon.whole else totals_of(request)
        told = Teller(evidence, request.language, plain, totals).tell(asked.shape)
        if told is not None:
            return told or None
    return network_draft(asked.question, evidence, request.language, lexicon.labels)
