"""Wenmai: multi-turn, cited answers over stories. `async with wenmai.open_agent() as agent: …`."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wenmai.agent import Agent, Answer, open_agent

__all__ = ["Agent", "Answer", "open_agent"]


def __getattr__(name: str) -> Any:
    """Load the façade at its first use: `import wenmai` costs nothing."""
    if name in __all__:
        from wenmai import agent

        return getattr(agent, name)
    raise AttributeError(f"module 'wenmai' has no attribute {name!r}")
