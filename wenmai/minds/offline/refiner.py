"""Another attempt without a model sees nothing new: the first one made every search that the question gives."""

from nodes.roles import RefineRequest


class ReadingRefiner:
    """Never asks for another attempt."""

    async def refine(self, request: RefineRequest) -> None:
        """Return None: there is nothing new to see."""
