"""What all groups of settings share: where values come from, and what counts as unset."""

import re
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlsplit

from pydantic import AfterValidator, AliasChoices, SecretStr, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, SettingsConfigDict

from tools.extras import require_extra

SECRET_WORDS = ("KEY", "TOKEN", "PASSWORD")
ROWS_FORM = "it is a JSON list of the rows of each attempt, each 1 to 20, such as [3, 3, 5]"
MUST_BE_BOOLEAN = "must be one of true, yes, 1, false, no, 0"


def is_loopback(host: str) -> bool:
    """Return True if a host is this machine."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def problem(error: ErrorDetails | Mapping[str, Any]) -> str:
    """Return what is wrong with one variable, in one line; secrets are left out."""
    name = ".".join(str(part) for part in error["loc"]).upper()
    given = error["input"]
    if name == "MAX_FUNCTION_CALLS":
        return f"MAX_FUNCTION_CALLS must be positive, got: {given}"
    rule = MUST_BE_BOOLEAN if error["type"] == "bool_parsing" else error["msg"].removeprefix("Value error, ")
    if name.startswith("SEARCH_LIMITS"):
        rule = f"{rule}; {ROWS_FORM}"
    secret = any(word in name for word in SECRET_WORDS) or "@" in str(given)  # an address may hold a password
    return f"{name}: {rule}" + ("" if secret else f", got: {given!r}")


# Blanks may be meant in these.
PREFIXES = frozenset({"embedding_query_prefix", "embedding_passage_prefix"})
BLANKS_COUNT = PREFIXES | {"neo4j_password"}


class SettingsGroup(BaseSettings):
    """Settings of one subject; every field is an environment variable of the same name, in capitals."""

    model_config = SettingsConfigDict(
        env_file=".env",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        validate_default=True,
        validate_by_name=True,
    )

    @model_validator(mode="before")
    @classmethod
    def without_blanks(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Drop texts of blanks alone, so that the default holds, and strip the blanks around the others.

        The sources drop empty variables. An empty text is a keyword's: it unsets an optional setting, and is left for
        its field to refuse where there must be a value.
        """
        texts = {key: value for key, value in given.items() if isinstance(value, str)}
        blank = {key for key, value in texts.items() if not value.strip() and key.lower() not in PREFIXES}
        dropped = {key for key in blank if given[key] or key.lower() not in cls.with_defaults()}
        stripped = {key: value.strip() for key, value in texts.items() if key.lower() not in BLANKS_COUNT}
        return {key: stripped.get(key, value) for key, value in given.items() if key not in dropped}

    @classmethod
    def with_defaults(cls) -> set[str]:
        """Return the names, in lower case, of the settings that always have a value, under all their variables."""
        fields = {name: field for name, field in cls.model_fields.items() if field.default is not None}
        return {key.lower() for name, field in fields.items() for key in (name, *variables(name, field))}


def variables(name: str, field: FieldInfo) -> list[str]:
    alias = field.validation_alias
    return [str(choice) for choice in alias.choices] if isinstance(alias, AliasChoices) else [name.upper()]


MUST_BE_HTTP = "must be an address that begins with http:// or https://, without user and password"
MUST_BE_ORIGINS = "must be origins such as https://app.example, separated by commas, without path or *"
MUST_BE_BOLT = "must be an address such as bolt://localhost:7687 or neo4j+s://host, without user and password"
MUST_BE_POSTGRES = (
    "must be an address like postgresql://user:password@host:5432/database, "
    "with known parameters alone and a % of the password written as %25"
)
MUST_BE_ASCII = "must hold ASCII characters only: copy the key anew, without quotation marks or blanks"

ORIGIN = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<host>\[[0-9a-f:.]+\]|[^\s:/?#@,*\[\]]+)(?::(?P<port>[0-9]{1,5}))?/?"
)
PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
LAST_PORT = 65_535


class Origin(NamedTuple):
    """Scheme, host and port of a web page, in lower case; without a port that of the scheme, if it has one."""

    scheme: str
    host: str
    port: int | None


def origin_of(text: str) -> Origin | None:
    """Return the origin that a text names, None for `null` and everything else that is none."""
    found = ORIGIN.fullmatch(text.strip().lower())
    if found is None:
        return None
    port = int(found["port"]) if found["port"] else PORTS.get(found["scheme"])
    if port is not None and port > LAST_PORT:
        return None
    return Origin(found["scheme"], found["host"].strip("[]"), port)


def origins(text: str) -> str:
    """Return a list of origins with commas, without blanks and empty places.

    Raises:
        ValueError: one of them is no origin of a web page: a wildcard, a path, a host without its scheme.
    """
    given = [one.strip() for one in text.split(",") if one.strip()]
    if not all(map(origin_of, given)):
        raise ValueError(MUST_BE_ORIGINS)
    return ",".join(given)


def matching(pattern: str, rule: str) -> AfterValidator:
    """Return what refuses an address of another form; one with a password is of none, because addresses are logged."""

    def check(address: str) -> str:
        if not re.fullmatch(pattern, address) or not is_address(address):
            raise ValueError(rule)
        return address

    return AfterValidator(check)


def is_address(text: str) -> bool:
    """Return True if host and port of an address can be read."""
    try:
        parts = urlsplit(text)
        return parts.port != 0 and bool(parts.hostname)
    except ValueError:
        return False


def postgres_address(uri: SecretStr) -> SecretStr:
    """Return an address of PostgreSQL as it is; it may hold a password.

    Raises:
        ValueError: libpq cannot read it. The message never quotes the address.
        ConfigError: the extra `postgres` is not installed.
    """
    require_extra("postgres", "POSTGRES_URI")
    from psycopg import ProgrammingError  # only where there is a server
    from psycopg.conninfo import conninfo_to_dict

    try:
        parameters = conninfo_to_dict(uri.get_secret_value())
    except ProgrammingError:  # its reason quotes parts of the address, a password among them
        parameters = {}
    if not parameters or not re.match(r"postgres(ql)?://\S+$", uri.get_secret_value()):
        raise ValueError(MUST_BE_POSTGRES)
    return uri


def header_value(key: SecretStr) -> SecretStr:
    """Return a key without the blanks around it.

    Raises:
        ValueError: no HTTP header can hold it.
    """
    text = key.get_secret_value().strip()
    if not text.isascii() or not text.isprintable():
        raise ValueError(MUST_BE_ASCII)
    return SecretStr(text)


# Made absolute at once: asking for the working directory later would block the server's event loop.
AbsolutePath = Annotated[Path, AfterValidator(Path.absolute)]
HttpAddress = Annotated[str, matching(r"https?://[^/\s@]+(/.*)?", MUST_BE_HTTP)]
Origins = Annotated[str, AfterValidator(origins)]
BoltAddress = Annotated[str, matching(r"(bolt|neo4j)(\+s|\+ssc)?://[^/\s@]+/?", MUST_BE_BOLT)]
PostgresAddress = Annotated[SecretStr, AfterValidator(postgres_address)]
HeaderKey = Annotated[SecretStr, AfterValidator(header_value)]
