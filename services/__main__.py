"""`python -m services up|down|status|env [NAME ...]`: servers on loopback, all of them unless some are named."""

import argparse
import shlex
import sys
from collections.abc import Sequence

from services.running import SERVICES, found, known, start, stop
from services.service import ServiceError


def main() -> int:
    """Do what the command line says; a server that cannot be had is one line and exit code 1."""
    parser = argparse.ArgumentParser(prog="python -m services", description=__doc__)
    parser.add_argument("command", choices=list(COMMANDS))
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(SERVICES)}; default: all")
    arguments = parser.parse_args()
    try:
        for name in arguments.names:
            known(name)
        COMMANDS[arguments.command](arguments.names or list(SERVICES))
    except ServiceError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def up(names: Sequence[str]) -> None:
    """Install and start."""
    for name in names:
        print(f"{name}: 127.0.0.1:{start(name).port}")


def down(names: Sequence[str]) -> None:
    """Stop."""
    for name in names:
        print(f"{name}: {'stopped' if stop(name) else 'was not running'}")


def status(names: Sequence[str]) -> None:
    """Say what runs."""
    for name in names:
        running = found(name)
        print(f"{name}: {f'127.0.0.1:{running.port}, process {running.pid}' if running else 'not running'}")


def env(names: Sequence[str]) -> None:
    """Print what a shell evaluates so that the product finds the servers that run."""
    for name in names:
        running = found(name)
        for variable, value in running.settings.items() if running else ():
            print(f"export {variable}={shlex.quote(value)}")


COMMANDS = {"up": up, "down": down, "status": status, "env": env}

if __name__ == "__main__":
    sys.exit(main())
