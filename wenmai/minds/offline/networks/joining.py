"""A question of a run with networks, and perhaps a story: whose follow-up it is."""

from nodes.roles import Resolution, ResolveRequest
from state.session import TOPIC_CHARACTERS
from tools.networks.lexicon import Lexicon
from wenmai.minds.offline.networks.resolving import NetworkResolution


def joined(
    request: ResolveRequest, network: NetworkResolution, story: Resolution | None, lexicon: Lexicon
) -> Resolution:
    """Return the resolution by the network, by the story, or, of a question with names of both, with both names.

    Where either could fill what is left out, the newest entity of the session decides.
    """
    if story is None or fills(request, network, story, lexicon):
        return Resolution(
            question=network.question,
            mentions=network.mentions,
            entities=network.entities,
            topic=topic(network) if network.entities else None,
        )
    named = [] if network.mentions else network.entities
    return Resolution(
        question=story.question,
        mentions=story.mentions,
        entities=list(dict.fromkeys([*story.entities, *named])),
        topic=story.topic,
    )


def fills(request: ResolveRequest, network: NetworkResolution, story: Resolution, lexicon: Lexicon) -> bool:
    """Tell whether the question is a follow-up to the network rather than to the story."""
    if not network.mentions:
        return False
    newest = request.session["entities"][:1]
    about_network = any(lexicon.known(entity["name"]) for entity in newest)
    return about_network if story.mentions or not newest else about_network or not story.entities


def topic(network: NetworkResolution) -> str:
    """Return what the talk is about, in at most 20 characters."""
    return network.entities[0][:TOPIC_CHARACTERS]
