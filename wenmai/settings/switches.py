"""Truth values as an environment spells them (S004-03)."""

from typing import Annotated

from pydantic import BeforeValidator

ON = ("true", "yes", "1")
OFF = ("false", "no", "0")


def spelled(value: object) -> bool:
    """Return what a text stands for, in any case. Raises ValueError for any other."""
    word = str(value).strip().casefold()
    if word in ON:
        return True
    if word in OFF:
        return False
    raise ValueError(f"must be one of {', '.join((*ON, *OFF))}")


Switch = Annotated[bool, BeforeValidator(spelled)]
