"""Who asks the API, and what he may see and change."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from starlette.types import Scope

from state.account import AccountType
from tools.networks.records import Account
from tools.wording import Words
from wenmai.direct_tools.calls import Identity
from wenmai.errors import LibraryNotFound
from wenmai.inputs import FieldError
from wenmai.web.callers import FORBIDDEN, Caller, caller_of
from wenmai.web.rest.problems import NotFound

LOCAL = "local"  # who asks where nobody is asked for a key, as on the command line
NOT_ADMIN = Words(
    "需要有管理权限的密钥（wenmai keys add --admin）", "this needs a key that may administer (wenmai keys add --admin)"
)
NO_LIBRARY = Words("没有名为 {name} 的资料库", "there is no library {name}")
NO_NETWORK = Words("没有名为 {name} 的知识网络", "there is no network {name}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """A user with the rights of his key; None stands for every library, every network."""

    user_id: str
    permissions: frozenset[str] = frozenset()
    account: Account = field(default_factory=lambda: Account(LOCAL))
    libraries: frozenset[str] | None = None
    networks: frozenset[str] | None = None
    is_admin: bool = False

    def identity(self) -> dict[str, object]:
        """Return the fields of a run's context that say who asks."""
        return {
            "user_id": self.user_id,
            "permissions": sorted(self.permissions),
            "account": self.account.id,
            "account_type": self.account.type,
        }

    def require_admin(self) -> None:
        """Raise FieldError (403) unless he may change what everybody sees."""
        if not self.is_admin:
            raise FieldError("key", NOT_ADMIN, FORBIDDEN)

    def require_library(self, name: str) -> None:
        """Raise LibraryNotFound for a library that his key does not name: for him it does not exist."""
        if not allows(self.libraries, name):
            raise LibraryNotFound(NO_LIBRARY.of(name=name))

    def require_network(self, name: str) -> None:
        """Raise NotFound for a network that his key does not name."""
        if not allows(self.networks, name):
            raise NotFound("network", NO_NETWORK.of(name=name))

    def require_sources(self, library: str | None, networks: Iterable[str]) -> None:
        """Raise LibraryNotFound, NotFound for a source of a question that his key does not name."""
        if library is not None:
            self.require_library(library)
        for name in networks:
            self.require_network(name)


def allows(names: Collection[str] | None, name: str) -> bool:
    """Return True if a name is among those of a key; None are all."""
    return names is None or name in names


def viewer_of(scope: Scope) -> Viewer:
    """Return who sends a request; without keys it is the user of this machine, who may do everything."""
    caller = caller_of(scope)
    return Viewer(user_id=LOCAL, is_admin=True) if caller is None else viewer_from(caller)


def viewer_from(caller: Caller) -> Viewer:
    """Return the rights of a key."""
    kind: AccountType = caller.account_type  # type: ignore[assignment]  # a key's kind was checked when it was made
    return Viewer(
        user_id=caller.user_id,
        permissions=caller.permissions,
        account=Account(caller.account or caller.user_id, kind),
        libraries=caller.libraries,
        networks=caller.networks,
        is_admin=caller.is_admin,
    )


def identity_of(who: Viewer) -> Identity:
    """Return who calls a tool, as authentication knows him; without keys it is the user of this machine."""
    return Identity(who.user_id, who.permissions, who.account, who.libraries, who.networks)
