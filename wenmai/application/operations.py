"""The application: every operation of one process, for one caller."""

from dataclasses import dataclass, field, replace
from typing import Self

from wenmai.app.container import Services
from wenmai.application.caller import Caller
from wenmai.application.jobs import JobOperations, Jobs
from wenmai.application.libraries import LibraryOperations
from wenmai.application.memories import MemoryOperations


@dataclass(slots=True)
class Shared:
    """What is opened once, whoever calls."""

    jobs: Jobs = field(default_factory=Jobs)


@dataclass(frozen=True, slots=True)
class Application:
    """Operations by subject, with the rights of one caller; `for_caller` gives them with those of another."""

    services: Services
    caller: Caller = field(default_factory=Caller.local)
    shared: Shared = field(default_factory=Shared, repr=False)

    def for_caller(self, caller: Caller) -> Self:
        """Return the operations of another caller."""
        return replace(self, caller=caller)

    async def for_user(self, user_id: str) -> Self:
        """Return the operations of another user of this machine, with the same rights."""
        return replace(self, caller=replace(self.caller, user_id=user_id))

    @property
    def jobs(self) -> JobOperations:
        """Long work of this process."""
        return JobOperations(self.shared.jobs, self.caller)

    @property
    def libraries(self) -> LibraryOperations:
        """Libraries and their texts."""
        return LibraryOperations(self.services, self.caller)

    @property
    def memories(self) -> MemoryOperations:
        """The caller's memories."""
        return MemoryOperations(self.services, self.caller)
