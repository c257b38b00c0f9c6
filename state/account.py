"""Who asks knowledge networks; a module of its own, for the command line names the kinds before it loads anything."""

from typing import Literal

AccountType = Literal["user", "app", "anonymous", "system"]
