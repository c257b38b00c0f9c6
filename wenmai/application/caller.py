"""Who calls an operation, and what the caller may see and change. Identity comes from authentication alone."""

from collections.abc import Awaitable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Protocol, Self

from state.account import LOCAL
from state.context import Context
from tools.errors import LibraryNotFound, WenmaiError
from tools.language import spoken_in
from tools.messages import FOLLOWS_QUESTION, Message, Names, speaking
from tools.networks.records import NOBODY, Account
from wenmai.inputs import FieldError, NotFound, context_from, text_of
from wenmai.stores.files.folder import check_name

if TYPE_CHECKING:
    from tools.ports import Catalog

IDENTITY = ("user_id", "permissions", "account", "account_type")  # the fields of a run's context that say who asks


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
            raise FieldError("key", Message("access.admin_needed"), HTTPStatus.FORBIDDEN)

    @property
    def is_limited(self) -> bool:
        """Return True if the key opens some libraries or networks alone."""
        return self.libraries is not None or self.networks is not None

    def require_everything(self) -> None:
        """Raise FieldError (403) unless the caller may administer, with every library and network open.

        What belongs to none of them, such as keys, users and documents of all, is changed so alone.
        """
        self.require_admin()
        if self.is_limited:
            raise FieldError("key", Message("access.admin_of_all_needed"), HTTPStatus.FORBIDDEN)

    def opens(self, library: str | None) -> bool:
        """Return True if something belongs to no library or to one that the key opens."""
        return not library or allows(self.libraries, library)

    def require_change(self, library: str) -> None:
        """Raise FieldError (403), InputError, LibraryNotFound unless the caller may change a library of this name."""
        self.require_admin()
        self.require_library(check_name(library))

    def require_library(self, name: str) -> None:
        """Raise LibraryNotFound for a library that the key does not name: for this caller it does not exist."""
        if not allows(self.libraries, name):
            raise LibraryNotFound(Message("access.unknown_library", name=name))

    def require_network(self, name: str) -> None:
        """Raise NotFound for a network that the key does not name."""
        if not allows(self.networks, name):
            raise NotFound("network", Message("access.unknown_network", name=name))


class Sessions(Protocol):
    """Gives the id of the session that a caller calls by its id or by a name. Raises NotFound for what names none."""

    def __call__(self, caller: Caller, name: str, *, with_documents: bool = False) -> Awaitable[str]:
        """Return the id; `with_documents`: the one under which the caller has documents comes first."""
        ...


NOTED: ContextVar[dict[str, Any] | None] = ContextVar("wenmai_noted", default=None)


def note(**known: Any) -> None:
    """Note what the request of a server turned out to be about, for its audit line."""
    noted = NOTED.get()
    if noted is not None:
        noted.update({name: value for name, value in known.items() if value is not None})


def allows(names: Collection[str] | None, name: str) -> bool:
    """Return True if a name is among those of a key; None are all."""
    return names is None or name in names


def opens_all(caller: Caller, record: Mapping[str, Any]) -> bool:
    """Return True if a key opens each library and network that a turn quotes; of an old one they are not known."""
    from tools.toolboxes import TOOLKITS  # it loads every tool

    pieces = [(one.get("tool"), one.get("library") or "") for one in record.get("evidence") or ()]
    return all(
        allows(caller.networks, name) if tool in TOOLKITS["knowledge"] else caller.opens(name) for tool, name in pieces
    )


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
        raise FieldError(
            "library", Message("field.which_library", known=Names(known)) if known else Message("field.no_library_yet")
        )
    return {**fields, "library": known[0]}, replace(run, library=known[0])


def refuse_identity(fields: Mapping[str, Any]) -> None:
    """Raise FieldError for a field of a run that says who asks: the caller does."""
    if named := [name for name in fields if name in IDENTITY]:
        raise FieldError(named[0], Message("access.identity_by_key"))


@contextmanager
def in_words_of(question: object) -> Iterator[None]:
    """Say what goes wrong in the language of a question, where its reader has named none."""
    try:
        yield
    except WenmaiError as error:
        if FOLLOWS_QUESTION.get() and error.args and isinstance(error.args[0], Message):
            with speaking(spoken_in(text_of(question))):
                error.args = (str(error.args[0]), *error.args[1:])
        raise


@contextmanager
def fields_as_sent() -> Iterator[None]:
    """Name wrong fields as a caller has written them, not as they are called inside of a run."""
    try:
        yield
    except FieldError as error:
        name = SENT_AS.get(error.field, error.field.removeprefix("context."))
        if name == error.field:
            raise
        raise FieldError(name, error.args[0], error.status, error.wait_s) from error
