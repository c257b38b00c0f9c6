"""What a client must know of the server: who it asks for, its limits, and whether it can answer now."""

import time
from typing import Literal, get_args

from pydantic import BaseModel, Field

import wenmai
from state.context import Toolkit
from wenmai.app.doctor.checks import check_mind, check_model
from wenmai.minds.choice import role_models
from wenmai.web.api.access import services_of, viewer
from wenmai.web.health import looks
from wenmai.web.rest.endpoints import Call, Resource

resource = Resource("server")


class Limits(BaseModel):
    """What the server accepts."""

    question_characters: int
    document_mb: int
    documents_of_a_thread: int
    source_mb: int
    request_bytes: int
    rate: str = Field(description="Requests of a key", examples=["600/minute"])
    pending_turns: int = Field(description="Questions of a user that run or wait")


class PublicSettings(BaseModel):
    """What everybody may know."""

    version: str
    needs_key: bool = Field(description="Whether requests need `Authorization: Bearer …`")
    mind: Literal["model", "offline"] = Field(description="Who answers: a language model, or the offline mind")
    model: str | None = Field(description="The id of that model")
    reads: bool = Field(description="Whether the built-in reading model finds names and answers offline")
    toolkits: list[Toolkit]
    limits: Limits


class ModelTest(BaseModel):
    """What the model service answered to two short questions."""

    model: str | None = Field(description="null where no model is set: nothing was asked")
    ok: bool
    text: str = Field(description="What works, or why nothing does")
    seconds: float


class Health(BaseModel):
    """Whether questions can be answered now."""

    ready: bool
    stores: dict[str, Literal["ok", "down"]]


class Me(BaseModel):
    """Who asks, and what he may do; null stands for all."""

    user_id: str
    is_admin: bool
    permissions: list[str]
    libraries: list[str] | None
    networks: list[str] | None


@resource.get("/settings", "Get the public settings", is_open=True)
async def settings(call: Call[None, None]) -> PublicSettings:
    """Return what a client must know before it asks. Needs no key."""
    services = await services_of(call)
    known = services.settings
    limits = Limits(
        question_characters=known.max_question_chars,
        document_mb=known.max_file_size_mb,
        documents_of_a_thread=known.max_files_per_session,
        source_mb=known.max_source_mb,
        request_bytes=known.max_request_bytes,
        rate=known.rate_limit,
        pending_turns=known.max_pending_turns,
    )
    return PublicSettings(
        version=wenmai.__version__,
        needs_key=await services.keys.is_on(),
        mind="model" if known.asks_model else "offline",
        model=role_models(known).agent.id if known.asks_model else None,
        reads=known.use_reader,
        toolkits=list(get_args(Toolkit)),
        limits=limits,
    )


@resource.get("/health", "Get the state of the server", is_open=True)
async def health(call: Call[None, None]) -> Health:
    """Say whether questions can be answered, and which store is down. Needs no key; the status is 200 in any case."""
    down = await looks().look()
    return Health(ready=not any(down.values()), stores={name: "down" if one else "ok" for name, one in down.items()})


@resource.post("/settings/test", "Ask the model service", is_for_admins=True)
async def tested(call: Call[None, None]) -> ModelTest:
    """Ask the model two short questions, as `wenmai doctor` does. Needs the right to administer; may cost money."""
    services = await services_of(call)
    started = time.perf_counter()
    checks = await check_model(services) or [check_mind(services.settings)]
    model = role_models(services.settings).agent.id if services.settings.asks_model else None
    return ModelTest(
        model=model,
        ok=all(one.ok is not False for one in checks),
        text="；".join(one.text for one in checks),
        seconds=round(time.perf_counter() - started, 2),
    )


@resource.get("/me", "Get your rights")
async def me(call: Call[None, None]) -> Me:
    """Return the user of the key and what it opens."""
    who = viewer(call)
    return Me(
        user_id=who.user_id,
        is_admin=who.is_admin,
        permissions=sorted(who.permissions),
        libraries=None if who.libraries is None else sorted(who.libraries),
        networks=None if who.networks is None else sorted(who.networks),
    )
