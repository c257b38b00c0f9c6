"""The application: every operation of one process, for one caller."""

from dataclasses import dataclass, field, replace
from typing import Self

from wenmai.app.container import Services
from wenmai.application.caller import Caller
from wenmai.application.documents import DocumentOperations
from wenmai.application.memories import MemoryOperations
from wenmai.application.networks import NetworkOperations


@dataclass(frozen=True, slots=True)
class Application:
    """Operations by subject, with the rights of one caller; `for_caller` gives them with those of another."""

    services: Services
    caller: Caller = field(default_factory=Caller.local)

    def for_caller(self, caller: Caller) -> Self:
        """Return the operations of another caller."""
        return replace(self, caller=caller)

    async def for_user(self, user_id: str) -> Self:
        """Return the operations of another user of this machine, with the same rights."""
        return replace(self, caller=replace(self.caller, user_id=user_id))

    @property
    def documents(self) -> DocumentOperations:
        """The documents of the caller's conversations, and the preloaded ones."""
        return DocumentOperations(self.services, self.caller)

    @property
    def memories(self) -> MemoryOperations:
        """The caller's memories."""
        return MemoryOperations(self.services, self.caller)

    @property
    def networks(self) -> NetworkOperations:
        """The knowledge networks."""
        return NetworkOperations(self.services, self.caller)
