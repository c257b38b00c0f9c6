"""What operations return of API keys: the secret once, the hash never."""

from pydantic import BaseModel, Field

from wenmai.access.keys import KeyView


class MadeKey(BaseModel):
    """A new key."""

    key: KeyView
    token: str = Field(description="What its user sends; it is kept nowhere", repr=False)
    record: str = Field(description="The key as WENMAI_API_KEYS takes it, with the hash of its secret", repr=False)


class KeyList(BaseModel):
    """The keys of the file."""

    items: list[KeyView]
    of_environment: int = Field(description="Keys that WENMAI_API_KEYS adds")
    is_open: bool = Field(description="No key was ever made: requests of this machine need none")
