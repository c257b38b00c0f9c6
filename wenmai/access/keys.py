"""An API key: what is stored of it, how it is made and compared.

A key is `wm_<id>_<secret>`. The secret has 256 random bits, so that one round of SHA-256 is enough to keep it by:
slow hashes are for what people choose (RFC 6819, section 5.1.4.1.3; NIST SP 800-63B, section 5.1.2.2).
"""

import hashlib
import hmac
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from state.account import AccountType

PREFIX = "wm"
ID_BYTES = 6
SECRET_BYTES = 32
LONGEST = 200  # characters of a token that is looked at
LIMITS = ("libraries", "networks")

Name = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]+$")
]


class KeyView(BaseModel):
    """What may be shown of a key.

    Attributes:
        user: whose threads, memories and documents it opens: the `user_id` of its runs.
        permissions: those of its runs; `sensitive_memory` shows sensitive memories.
        account, account_type: who asks the knowledge networks; without one it is the user.
        libraries, networks: those that it opens; None are all, and stand in both or in neither.
        is_admin: whether it may change libraries and networks.
        used_at: when a server last took it, to a minute; None: not yet, or not known.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{12}$")]
    user: Name
    name: str = ""
    permissions: tuple[str, ...] = ()
    account: Name | None = None
    account_type: AccountType = "user"
    libraries: tuple[str, ...] | None = None
    networks: tuple[str, ...] | None = None
    is_admin: bool = False
    created_at: AwareDatetime
    expires_at: AwareDatetime | None = None
    revoked_at: AwareDatetime | None = None
    used_at: AwareDatetime | None = None

    @model_validator(mode="before")
    @classmethod
    def limits_hold_for_both(cls, given: Any) -> Any:
        """Return what is given of a key; one that is limited in one kind opens nothing of the other unless named."""
        if isinstance(given, Mapping) and any(given.get(name) is not None for name in LIMITS):
            return {**given, **{name: () for name in LIMITS if given.get(name) is None}}
        return given

    @property
    def administers_everything(self) -> bool:
        """Return True if it administers, with every library and network open."""
        return self.is_admin and self.libraries is None and self.networks is None


class ApiKey(KeyView):
    """What is kept of a key; the key itself is shown once, when it is made."""

    digest: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")] = Field(repr=False)

    def opens(self, secret: str, now: datetime) -> bool:
        """Return True if this is the secret of a key that holds now; the comparison takes the same time for any."""
        return hmac.compare_digest(self.digest, digest_of(secret)) and self.holds(now)

    def holds(self, now: datetime) -> bool:
        """Return True if it is neither revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was made, and the token that its user sends."""

    key: ApiKey
    token: str


def digest_of(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def new_key(
    user: str,
    now: datetime,
    *,
    name: str = "",
    permissions: Sequence[str] = (),
    account: str | None = None,
    account_type: AccountType = "user",
    libraries: Sequence[str] | None = None,
    networks: Sequence[str] | None = None,
    is_admin: bool = False,
    expires_at: datetime | None = None,
) -> NewKey:
    """Make a key with what `KeyView` says of it. Raises ValidationError."""
    id, secret = secrets.token_hex(ID_BYTES), secrets.token_urlsafe(SECRET_BYTES)
    key = ApiKey(
        id=id,
        user=user,
        name=name,
        permissions=tuple(permissions),
        account=account,
        account_type=account_type,
        libraries=None if libraries is None else tuple(libraries),
        networks=None if networks is None else tuple(networks),
        is_admin=is_admin,
        created_at=now,
        expires_at=expires_at,
        digest=digest_of(secret),
    )
    return NewKey(key, f"{PREFIX}_{id}_{secret}")


def parts_of(token: str) -> tuple[str, str] | None:
    prefix, _, rest = token[:LONGEST].partition("_")
    id, _, secret = rest.partition("_")
    return (id, secret) if prefix == PREFIX and id and secret else None
