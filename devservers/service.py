"""What a server is to those who start and stop it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

ROOT = Path(__file__).parents[1]
HOME = ROOT / ".services"  # ignored by git: programs, data, logs and passwords of the servers


class ServiceError(Exception):
    """A server cannot be installed or started; the message is one line that says what to do."""


@dataclass(frozen=True, slots=True)
class Started:
    """A server that runs.

    Attributes:
        pid: process that ends the server when it ends.
        port: loopback port.
        settings: environment variables that lead the product to it.
        born: when that process was started, in seconds since the epoch: later another one may have its id.
            None where it had ended already.
    """

    pid: int
    port: int
    settings: dict[str, str] = field(repr=False)  # passwords are among them
    born: float | None = None


class Service(Protocol):
    """A server that can be run here. `home` is its own folder below HOME; it keeps its data there."""

    @property
    def name(self) -> str:
        """Name on the command line and in the matrix."""
        ...

    def install(self, home: Path) -> None:
        """Fetch what is missing; quick where nothing is. Raises ServiceError."""
        ...

    def launch(self, home: Path, port: int) -> Started:
        """Start a process that will answer on 127.0.0.1:port and outlives this one; it finds its data again.

        Raises ServiceError.
        """
        ...

    def until_ready(self, home: Path, started: Started) -> None:
        """Return when it answers. Raises ServiceError."""
        ...

    def stop(self, started: Started) -> None:
        """Stop in good order and return when it has ended."""
        ...
