"""Who calls an operation, and what the caller may see and change. Identity comes from authentication alone."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Self

from state.context import Context
from tools.errors import LibraryNotFound
from tools.networks.records import NOBODY, Account
from tools.wording import Names, Words
from wenmai.inputs import FieldError, NotFound, context_from
from wenmai.stores.files.folder import check_name

if TYPE_CHECKING:
    from tools.ports import Catalog

LOCAL = "local"  # the user where nobody is asked for a key, as on the command line
IDENTITY = ("user_id", "permissions", "account", "account_type")  # the fields of a run's context that say who asks
NOT_ADMIN = Words(
    "需要有管理权限的密钥（wenmai keys add --admin）", "this needs a key that may administer (wenmai keys add --admin)"
)
NOT_YOURS = Words("以登录身份为准，不能写成别的", "who asks is known by the key: nothing else can be named")
NO_LIBRARY = Words("没有名为 {name} 的资料库", "there is no library {name}")
NO_NETWORK = Words("没有名为 {name} 的知识网络", "there is no network {name}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A user with the rights of a key.

    Attributes:
        user_id: '' where nobody is known: then there are no memories, and a thread belongs to nobody.
        account: who asks networks; NOBODY: no account is named.
        libraries: the only ones that exist for the caller; None: all. `networks` likewise.
        is_admin: may change what everybody sees.
        key: the id of the key.
    """

    user_id: str
    permissions: frozenset[str] = frozenset()
    account: Account = NOBODY
    libraries: frozenset[str] | None = None
    networks: frozenset[str] | None = None
    is_admin: bool = False
    key: str = ""

    @classmethod
    def local(cls, user_id: str = LOCAL, permissions: Iterable[str] = ()) -> Self:
        """Return the user of this machine, who may do everything."""
        return cls(user_id=user_id, permissions=frozenset(permissions), account=Account(user_id), is_admin=True)

    def identity(self) -> dict[str, object]:
        own: dict[str, object] = {"user_id": self.user_id or None, "permissions": sorted(self.permissions)}
        if self.account is NOBODY:  # a key may be of an account with that name
            return own
        return {**own, "account": self.account.id, "account_type": self.account.type}

    def require_admin(self) -> None:
        """Raise FieldError (403) unless the caller may change what everybody sees."""
        if not self.is_admin:
            raise FieldError("key", NOT_ADMIN, HTTPStatus.FORBIDDEN)

    def require_change(self, library: str) -> None:
        """Raise FieldError (403), InputError, LibraryNotFound unless the caller may change a library of this name."""
        self.require_admin()
        self.require_library(check_name(library))

    def require_library(self, name: str) -> None:
        """Raise LibraryNotFound for a library that the key does not name: for this caller it does not exist."""
        if not allows(self.libraries, name):
            raise LibraryNotFound(NO_LIBRARY.of(name=name))

    def require_network(self, name: str) -> None:
        """Raise NotFound for a network that the key does not name."""
        if not allows(self.networks, name):
            raise NotFound("network", NO_NETWORK.of(name=name))


def allows(names: Collection[str] | None, name: str) -> bool:
    """Return True if a name is among those of a key; None are all."""
    return names is None or name in names


WHICH = Words("请给出资料库，可用的有 {known}", "name a library: there are {known}")
NONE = Words("还没有可以提问的资料库：请先导入一个", "there is no library to ask yet: take a text in first")
SENT_AS = {"messages": "question", "input.messages": "question"}  # by the name inside of a run


async def with_library(
    fields: Mapping[str, Any], catalog: "Catalog", caller: Caller
) -> tuple[Mapping[str, Any], Context]:
    """Return the fields of a run, and the run; one that reads a library and names none reads the caller's only one.

    Raises FieldError for a wrong field, and where there is not exactly one library.
    """
    from nodes.modes import reads_stories

    run = context_from(fields)
    if "library" in fields or not reads_stories(run):
        return fields, run
    known = [info.name for info in await catalog.libraries() if allows(caller.libraries, info.name)]
    if len(known) != 1:
        raise FieldError("library", WHICH.of(known=Names(known)) if known else NONE)
    return {**fields, "library": known[0]}, replace(run, library=known[0])


@contextmanager
def fields_as_sent() -> Iterator[None]:
    """Name wrong fields as a caller has written them, not as they are called inside of a run."""
    try:
        yield
    except FieldError as error:
        name = SENT_AS.get(error.field, error.field.removeprefix("context."))
        if name == error.field:
            raise
        raise FieldError(name, error.args[0], error.status) from error
