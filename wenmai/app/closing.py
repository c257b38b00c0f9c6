"""What is closed when a process ends."""

from typing import Protocol, TypeVar


class Closable(Protocol):
    """Something that holds files, connections or threads."""

    async def close(self) -> None: ...


ClosableT = TypeVar("ClosableT", bound=Closable | None)
