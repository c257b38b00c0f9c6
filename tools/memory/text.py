"""Texts of a memory for search: the indexed words, and the embedded text."""

from tools.memory.records import Memory

EMBEDDED_CHARACTERS = 2_000  # more windows cost time, and their mean loses meaning


def searched_text(memory: Memory) -> str:
    """Return the text whose words are indexed: speaker, summary, content."""
    return "\n".join(part for part in (memory.speaker, memory.summary, memory.content) if part)


def embedded_text(memory: Memory) -> str:
    """Return the text that is embedded, for a long memory its beginning; all its words are indexed."""
    text = "\n".join(part for part in (memory.summary, memory.content) if part)[:EMBEDDED_CHARACTERS]
    return f"{memory.speaker}: {text}" if memory.speaker else text
