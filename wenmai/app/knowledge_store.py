"""What the command line asks of the networks that are kept here."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from tools.errors import InputError, KnowledgeRefused
from tools.networks.records import Account, NetworkSchema
from tools.wording import Names, Words
from wenmai.app.engines import local_knowledge_of, neo4j_of
from wenmai.knowledge.content import Content
from wenmai.knowledge.keeping import Imported, KnowledgeStore, Progress, StoredNetwork
from wenmai.knowledge.looking import TIMEOUT_S, Looking, Seen
from wenmai.settings.settings import load_settings

NONE_YET = Words("还没有", "none yet")
NO_NETWORK = Words(
    "没有名为 {id} 的知识网络（已有：{known}）：请先用 wenmai knowledge import 导入",
    "there is no network {id} (there are: {known}): import it by wenmai knowledge import",
)
T = TypeVar("T")
LOCAL = Account("local")


def schema_of(network_id: str) -> NetworkSchema:
    """Return the schema of a network. Raises InputError."""
    return asked(lambda local: local.schema(network_id, LOCAL, timeout_s=TIMEOUT_S))


def found_in(network_id: str, keyword: str, limit: int) -> Sequence[Seen]:
    """Return the instances that a keyword names. Raises InputError."""

    async def work(local: KnowledgeStore) -> Sequence[Seen]:
        schema = await local.schema(network_id, LOCAL, timeout_s=TIMEOUT_S)
        return await Looking(local, schema, LOCAL).find(keyword, limit)

    return asked(work)


def content_of(network_id: str) -> Content:
    """Return all that a network holds. Raises InputError."""
    return asked(lambda local: local.content(network_id))


def networks() -> list[StoredNetwork]:
    """Return what is kept, by id."""
    return asked(lambda local: local.networks())


def imported(content: Content, progress: Progress) -> Imported:
    """Make this the content of its network."""
    return asked(lambda local: local.put(content, progress))


def require(network_id: str) -> None:
    """Look before asking. Raises InputError."""
    if not asked(lambda local: local.has(network_id)):
        raise missing(network_id)


def deleted(network_id: str) -> dict[str, int]:
    """Delete a network and return how much it held, nothing where that cannot be read. Raises InputError."""
    return asked(lambda local: local.remove(network_id))


def missing(network_id: str) -> InputError:
    """Return the error of a network that is not kept here."""
    ids = Names(one.spec.id for one in networks()) or NONE_YET
    return InputError(NO_NETWORK.of(id=network_id[:80], known=ids))


def asked(work: Callable[[KnowledgeStore], Awaitable[T]]) -> T:
    """Ask the networks of the settings something; an unknown one is wrong input here. Raises InputError."""

    async def opened() -> T:
        settings = load_settings()
        local = local_knowledge_of(settings, neo4j_of(settings))
        try:
            return await work(local)
        finally:
            await local.close()

    try:
        return asyncio.run(opened())
    except KnowledgeRefused as error:
        raise InputError(str(error)) from error
