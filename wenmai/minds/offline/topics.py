"""What a session keeps as the topic of a question."""

from state.session import TOPIC_CHARACTERS
from wenmai.minds.offline.reading import Reading


def topic(question: str, entities: list[str], reading: Reading) -> str | None:
    """Return the main entity and the nouns asked for, else the question itself, in at most 20 characters."""
    nouns = [word.text for word in reading.words if word.tag in ("n", "nz", "vn") and len(word.text) > 1]
    about = dict.fromkeys([*entities[:1], *(noun for noun in nouns if noun not in entities)])
    text = " ".join(about)[:TOPIC_CHARACTERS].strip() if entities else beginning(question)
    return text or None


def beginning(question: str) -> str:
    """Return the topic of a question that names nothing: its first characters."""
    return question.strip("？?。！! ")[:TOPIC_CHARACTERS].strip()
