"""Rules for values that several settings share: addresses of servers, keys that are sent in headers."""

import re
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, SecretStr

MUST_BE_HTTP = "must be an address that begins with http:// or https://, without user and password"
MUST_BE_BOLT = "must be an address such as bolt://localhost:7687 or neo4j+s://host, without user and password"
MUST_BE_POSTGRES = (
    "must be an address like postgresql://user:password@host:5432/database, "
    "with known parameters alone and a % of the password written as %25"
)
MUST_BE_ASCII = "must hold ASCII characters only: copy the key anew, without quotation marks or blanks"


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
BoltAddress = Annotated[str, AfterValidator(bolt_address)]
PostgresAddress = Annotated[SecretStr, AfterValidator(postgres_address)]
HeaderKey = Annotated[SecretStr, AfterValidator(header_value)]
