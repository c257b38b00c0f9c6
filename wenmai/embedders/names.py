"""Identities of embedders, as libraries record them."""


def same(name: str, recorded: str) -> bool:
    """Return True if two identities are one embedder's; older libraries record FastEmbed ids as they were typed."""
    return name.casefold() == recorded.casefold()
