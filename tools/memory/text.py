"""What a memory is found by: the text whose words are indexed, and the one that is embedded."""

from tools.memory.records import Memory

EMBEDDED_CHARACTERS = 2_000  # the mean of a longer text's windows means little, and each window takes its time


def searched_text(memory: Memory) -> str:
    """Return the words that a memory is found by: who said it, its summary, its content."""
    return "\n".join(part for part in (memory.speaker, memory.summary, memory.content) if part)


def embedded_text(memory: Memory) -> str:
    """Return the text whose meaning is compared: of a long memory the beginning; its words are all indexed."""
    said = "\n".join(part for part in (memory.summary, memory.content) if part)[:EMBEDDED_CHARACTERS]
    return f"{memory.speaker}: {said}" if memory.speaker else said
