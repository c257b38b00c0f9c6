"""Users as a whole: what is kept of one, and its removal everywhere."""

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from state.account import may_go_on
from tools.messages import Message
from wenmai.app.clock import now
from wenmai.app.container import Services
from wenmai.application.caller import Caller
from wenmai.application.reading import remove_places
from wenmai.inputs import FieldError
from wenmai.observability.traces import stored_traces

if TYPE_CHECKING:
    from wenmai.application.conversations import Opener, ThreadReceipt


class ErasureReceipt(BaseModel):
    """What was kept of a user, and is gone."""

    threads: int
    documents: int = Field(description="Of conversations, and of those that were never begun")
    memories: int = Field(description="Records, the history too")
    traces: int
    places: int = Field(description="Where the user was last in libraries")
    keys: int = Field(description="Keys of the file that were ended; those of WENMAI_API_KEYS stay")


@dataclass(frozen=True, slots=True)
class UserOperations:
    """What can be done with users. Needs a key with the right to administer that opens every library."""

    services: Services
    caller: Caller
    open: "Opener"

    async def erase(self, name: str) -> ErasureReceipt:
        """End a user's keys and remove conversations, documents, memories, traces and places; return the counts.

        The texts of libraries and networks are nobody's and stay. A second call removes what a failed one has left.

        Raises:
            FieldError: a blank name.
            StoreLocked: a question of the user is being answered.
        """
        self.caller.require_admin_of_all()
        if not name.strip():
            raise FieldError("user", Message("user.blank_name"))
        services, user = self.services, Caller(user_id=name)
        keys = await asyncio.to_thread(services.keys.file.end_user, name, now())  # first: nothing new comes in
        conversations = await self.open()
        gone: list[ThreadReceipt] = []
        count = 0
        while threads := [one.id for one in await conversations.threads(user)]:  # a server lists so many at a time
            gone.append(await conversations.delete(user, *threads))
            count += len(threads)
        documents = await services.document_service.remove_user(name)
        rows = await services.memory_service.export(name)
        known = sorted({str(row["memory_key"]) for row in rows})
        memories = (await services.forget(name, known)).memories if known else 0
        traces = await asyncio.to_thread(self._remove_traces, name)
        places = await remove_places(services, name)
        return ErasureReceipt(
            threads=count,
            documents=documents + sum(one.documents for one in gone),
            memories=memories,
            traces=traces + sum(one.traces for one in gone),
            places=places,
            keys=keys,
        )

    def _remove_traces(self, name: str) -> int:
        folder = self.services.settings.trace_dir
        own = [path for path, one in stored_traces(folder) if "user_id" in one and may_go_on(one["user_id"], name)]
        for path in own:
            path.unlink(missing_ok=True)
        return len(own)
