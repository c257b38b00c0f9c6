"""Plain texts that are more than lines: exports of chats, screenplays."""

from collections.abc import Sequence

from wenmai.formats.aozora import aozora_blocks, is_aozora
from wenmai.formats.blocks import Block
from wenmai.formats.chats import chat_blocks, chat_messages
from wenmai.formats.screenplay import is_screenplay, screenplay_blocks


def text_blocks(text: str) -> Sequence[Block]:
    """Return a chat by days, a screenplay by scenes, a text of Aozora Bunko; () for any other text."""
    if is_aozora(text):
        return list(aozora_blocks(text))
    if messages := chat_messages(text):
        return chat_blocks(messages)
    return screenplay_blocks(text) if is_screenplay(text) else ()
