"""API keys, for who may administer everything: made, listed, ended."""

from typing import Annotated

from fastapi import Path
from pydantic import BaseModel, Field

from tools.messages import Message
from wenmai.access.keys import KeyView
from wenmai.application.keys import KeyList
from wenmai.application.paging import Strict
from wenmai.inputs import FieldError
from wenmai.web.dependencies import ADMIN, Operations, resource

router = resource("keys")


class NewKeyBody(Strict):
    """A key that is to be made."""

    user: str = Field(min_length=1, description="Whose conversations, memories and documents it opens", examples=["li"])
    name: str = Field(default="", max_length=200, description="What it is for")
    libraries: list[str] | None = Field(
        default=None, description="The only ones that it opens; null: all, none where `networks` are named"
    )
    networks: list[str] | None = Field(
        default=None, description="The only ones that it opens; null: all, none where `libraries` are named"
    )
    is_admin: bool = Field(default=False, description="Whether it may change what everybody sees")
    days: int | None = Field(default=None, ge=1, le=3650, description="How long it is valid; null: for good")


class ShownKey(BaseModel):
    """A new key."""

    key: KeyView
    token: str = Field(description="What its user sends; it is kept nowhere")
    unknown: list[str] = Field(description="Libraries and networks that it names and that are not there now")


@router.get("/keys", summary="List keys", dependencies=ADMIN)
async def listed(app: Operations) -> KeyList:
    """List the keys of the file, also those that have ended; their secrets are kept nowhere."""
    return await app.keys.list()


@router.post("/keys", summary="Make a key", status_code=201, dependencies=ADMIN)
async def made(app: Operations, body: NewKeyBody) -> ShownKey:
    """Make a key and return it, once. From the first one on every request needs one, so that one administers all."""
    opens_all = body.is_admin and body.libraries is None and body.networks is None
    if not opens_all and (await app.keys.list()).is_open:
        raise FieldError("is_admin", Message("key.first_administers"))
    new = await app.keys.add(**body.model_dump())
    return ShownKey(key=new.key, token=new.token, unknown=new.unknown)


@router.delete("/keys/{key}", summary="End a key", dependencies=ADMIN)
async def ended(app: Operations, key: Annotated[str, Path(description="Its id")]) -> KeyView:
    """End a key for good, at once on this server; the one that asks cannot end itself."""
    return await app.keys.revoke(key)
