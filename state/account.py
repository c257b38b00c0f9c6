"""Kinds of accounts that query knowledge networks; a light module, which the command line can load at once."""

from typing import Literal

AccountType = Literal["user", "app", "anonymous", "system"]
