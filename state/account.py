"""Who asks: users, and the kinds of accounts that query networks; a module that the command line can load at once."""

from typing import Literal

AccountType = Literal["user", "app", "anonymous", "system"]
LOCAL = "local"  # the user where nobody is asked for a key, as on the command line and in Python


def may_go_on(owner: str | None, user_id: str | None) -> bool:
    """Return True if a user may go on with a thread: with his own, the user of this machine with nobody's, too."""
    return owner == user_id or (owner is None and user_id == LOCAL)
