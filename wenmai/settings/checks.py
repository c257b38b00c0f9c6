"""Rules for values that several settings share: addresses of servers, keys that are sent in headers."""

import re
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, SecretStr

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


def absolute(path: Path) -> Path:
    """Return a path made absolute: asking for the working directory later would block the server's event loop."""
    return path.absolute()


def http_address(url: str) -> str:
    """Return an HTTP address as it is; one with a password is refused, because addresses are logged.

    Raises:
        ValueError: it is no HTTP address, or names a user.
    """
    if not re.match(r"https?://[^/\s@]+(/|$)", url):
        raise ValueError(MUST_BE_HTTP)
    return url


def origin_parts(text: str) -> tuple[str, str, int | None] | None:
    """Return scheme, host and port of a web page's origin in lower case, None for `null` and all else that is none.

    A port that is left out is the scheme's own, None where it has none.
    """
    found = ORIGIN.fullmatch(text.strip().lower())
    if found is None:
        return None
    port = int(found["port"]) if found["port"] else PORTS.get(found["scheme"])
    if port is not None and port > LAST_PORT:
        return None
    return found["scheme"], found["host"].strip("[]"), port


def origins(text: str) -> str:
    """Return a list of origins with commas, without blanks and empty places.

    Raises:
        ValueError: one of them is no origin of a web page: a wildcard, a path, a host without its scheme.
    """
    given = [one.strip() for one in text.split(",") if one.strip()]
    if not all(map(origin_parts, given)):
        raise ValueError(MUST_BE_ORIGINS)
    return ",".join(given)


def bolt_address(uri: str) -> str:
    """Return an address of Neo4j as it is; one with a password is refused, because addresses are logged.

    Raises:
        ValueError: it is no address of Neo4j, or names a user.
    """
    if not re.fullmatch(r"(bolt|neo4j)(\+s|\+ssc)?://[^/\s@]+/?", uri):
        raise ValueError(MUST_BE_BOLT)
    return uri


def postgres_address(uri: SecretStr) -> SecretStr:
    """Return an address of PostgreSQL as it is; it may hold a password.

    Raises:
        ValueError: libpq cannot read it. The message never quotes the address.
    """
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


AbsolutePath = Annotated[Path, AfterValidator(absolute)]
HttpAddress = Annotated[str, AfterValidator(http_address)]
Origins = Annotated[str, AfterValidator(origins)]
BoltAddress = Annotated[str, AfterValidator(bolt_address)]
PostgresAddress = Annotated[SecretStr, AfterValidator(postgres_address)]
HeaderKey = Annotated[SecretStr, AfterValidator(header_value)]
