"""Users as a whole: what is kept of one, and its removal everywhere."""

import asyncio
import itertools
import logging
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from tools.errors import StoreLocked, WenmaiError
from tools.messages import Message
from wenmai.app.clock import now
from wenmai.app.container import Services
from wenmai.app.data_dir import noted_removal, unfinished_removals
from wenmai.application.caller import Caller
from wenmai.application.ingest_jobs import forget_in_records
from wenmai.application.jobs import Jobs
from wenmai.application.reading import remove_places
from wenmai.application.running import LOOK_SECONDS, RunningRequests
from wenmai.inputs import FieldError, NotFound
from wenmai.observability.traces import remove_traces

if TYPE_CHECKING:
    from wenmai.application.conversations import Opener, ThreadReceipt

log = logging.getLogger("wenmai.web")
AGAIN_S = 600.0
CLEANED_EVERY = 6  # of these rounds: it copies a whole collection, whose readers wait
MOST_ROUNDS = 1_000  # of listing and deleting: a server lists so many threads at a time


class ErasureReceipt(BaseModel):
    """What was kept of a user, and is gone."""

    threads: int
    documents: int = Field(description="Of conversations, and of those that were never begun")
    memories: int = Field(description="Records, the history too")
    traces: int
    places: int = Field(description="Where the user was last in libraries")
    keys: int = Field(description="Keys of the file that had not been revoked; those of WENMAI_API_KEYS stay")


@dataclass(frozen=True, slots=True)
class UserOperations:
    """What can be done with users. Needs a key with the right to administer that opens every library and network."""

    services: Services
    caller: Caller
    open: "Opener"
    jobs: Jobs
    running: RunningRequests

    async def erase(self, name: str) -> ErasureReceipt:
        """Remove a user's keys, conversations, documents, memories, traces and places; return the counts.

        Questions, streams and uploads of the user that are under way in this process are stopped first. The texts of
        libraries and networks are nobody's and stay. At the end nothing of it is left in the files either. A server
        finishes what has failed or was broken off; so does a second call.

        Raises:
            FieldError: a blank name, or the only user whose keys administer everything.
            StoreLocked: something of the user does not end, or a question is answered outside of this server.
            StoreFull: nothing of the user is there any more, but the files cannot be rewritten without room.
        """
        self.caller.require_everything()
        if not name.strip():
            raise FieldError("user", Message("user.blank_name"))
        keys = (await self.services.keys.keys() or {}).values()
        if {one.user for one in keys if one.administers_everything and one.holds(now())} == {name}:
            raise FieldError("user", Message("user.last_admin", user=name), HTTPStatus.CONFLICT)
        folder = self.services.settings.data_dir
        async with self.running.without(name), noted_removal(folder, name):  # who is busy is not noted
            gone = await asyncio.to_thread(self.services.keys.forget_user, name)  # first: nothing new comes in
            await self.jobs.forget_user(name)
            await asyncio.to_thread(forget_in_records, folder, name)
            receipt = await self._remove(name)
            while any((more := await self._remove(name)).model_dump().values()):  # a write was still under way
                receipt = added(receipt, more)
            await self._leave_nothing()
        return receipt.model_copy(update={"keys": gone})

    async def _leave_nothing(self) -> None:
        """Take all of it out of the files, also what a crash or a change has left where nothing was found."""
        await (await self.open()).leave_nothing()
        await self.services.catalog.leave_nothing()
        for store in await asyncio.to_thread(lambda: (self.services.memories, self.services.documents)):
            await store.collection.rewrite()
        await self.services.document_service.originals.keep_only(await self.services.documents.ids())

    async def _remove(self, name: str) -> ErasureReceipt:
        services, user, conversations = self.services, Caller(user_id=name), await self.open()
        gone: list[ThreadReceipt] = []
        count = 0
        for _ in range(MOST_ROUNDS):
            if not (threads := [one.id for one in await conversations.threads(user)]):
                break
            try:
                gone.append(await conversations.delete(user, *threads))
                count += len(threads)
            except NotFound:  # one has gone since, with the question that was stopped
                await asyncio.sleep(LOOK_SECONDS)
        else:
            raise StoreLocked(Message("user.busy", user=name))
        documents = await services.document_service.remove_user(name)
        rows = await services.memory_service.export(name)
        known = sorted({str(row["memory_key"]) for row in rows})
        memories = (await services.forget(name, known)).memories if known else 0
        traces = await asyncio.to_thread(remove_traces, services.settings.trace_dir, name)
        return ErasureReceipt(
            threads=count,
            documents=documents + sum(one.documents for one in gone),
            memories=memories,
            traces=traces + sum(one.traces for one in gone),
            places=await remove_places(services, name),
            keys=0,
        )


async def finish_removals(users: UserOperations, pause_s: float = AGAIN_S) -> None:
    """Now and then finish removals that have failed or were broken off, and take out of files what was deleted."""
    for number in itertools.count():
        try:
            for name in await asyncio.to_thread(unfinished_removals, users.services.settings.data_dir):
                await finish_removal(users, name)
            if number % CLEANED_EVERY == 0:
                await users.services.clean()
        except (WenmaiError, OSError) as error:
            log.warning("deleted texts are still in files: %s", error)
        await asyncio.sleep(pause_s)


async def finish_removal(users: UserOperations, name: str) -> None:
    """Finish a removal, unless a request is at it; what fails stays for a later try."""
    noted = await asyncio.to_thread(unfinished_removals, users.services.settings.data_dir)
    if users.running.refuses(name) or name not in noted:
        return
    try:
        receipt = await users.erase(name)
        log.warning("the removal of a user that was broken off is finished: %s", receipt.model_dump())
    except (WenmaiError, OSError) as error:
        log.warning("the removal of a user is not finished yet: %s", error)


def added(one: ErasureReceipt, other: ErasureReceipt) -> ErasureReceipt:
    """Return the counts of two receipts together."""
    counts = other.model_dump()
    return ErasureReceipt(**{name: count + counts[name] for name, count in one.model_dump().items()})
