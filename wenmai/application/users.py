"""Users as a whole: what is kept of one, and its removal everywhere."""

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from state.account import may_go_on
from tools.errors import StoreLocked
from tools.messages import Message
from wenmai.app.container import Services
from wenmai.application.caller import Caller
from wenmai.application.jobs import Jobs
from wenmai.inputs import FieldError
from wenmai.observability.traces import stored_traces

if TYPE_CHECKING:
    from wenmai.application.conversations import Opener, ThreadReceipt

PATIENCE_S = 30.0


class ErasureReceipt(BaseModel):
    """What was kept of a user, and is gone."""

    threads: int
    documents: int = Field(description="Of conversations, and of those that were never begun")
    memories: int = Field(description="Records, the history too")
    traces: int
    keys: int = Field(description="Keys of the file that were ended; those of WENMAI_API_KEYS stay")


@dataclass(frozen=True, slots=True)
class UserOperations:
    """What can be done with users. Needs a key with the right to administer that opens every library."""

    services: Services
    caller: Caller
    open: "Opener"
    jobs: Jobs

    async def erase(self, name: str) -> ErasureReceipt:
        """End a user's keys and remove the user's conversations, documents, memories and traces; return the counts.

        Uploads are stopped, and what else the user's requests do is waited for, so that nothing comes in behind it. The
        texts of libraries and networks are nobody's and stay. A second call removes what a failed one has left.

        Raises:
            FieldError: a blank name.
            StoreLocked: a request of the user goes on too long.
        """
        self.caller.require_admin_of_all()
        if not name.strip():
            raise FieldError("user", Message("user.blank_name"))
        services, user = self.services, Caller(user_id=name)
        keys = await services.keys.end_user(name)  # first: nothing new comes in
        await self.jobs.forget_uploads(name)
        await self._work_ended(name)
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
        return ErasureReceipt(
            threads=count,
            documents=documents + sum(one.documents for one in gone),
            memories=memories,
            traces=traces + sum(one.traces for one in gone),
            keys=keys,
        )

    async def _work_ended(self, name: str) -> None:
        """Wait until no request of a user is under way but this one. Raises StoreLocked."""
        at_work, own = self.services.keys.at_work, self.caller.user_id == name
        end = time.monotonic() + PATIENCE_S
        while (count := at_work[name] - own) > 0:
            if time.monotonic() >= end:
                raise StoreLocked(Message("user.still_at_work", user=name, count=count))
            await asyncio.sleep(0.1)

    def _remove_traces(self, name: str) -> int:
        folder = self.services.settings.trace_dir
        own = [path for path, one in stored_traces(folder) if "user_id" in one and may_go_on(one["user_id"], name)]
        for path in own:
            path.unlink(missing_ok=True)
        return len(own)
