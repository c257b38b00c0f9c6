"""What a client must know of the server, and its tools for other agents."""

from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Body
from pydantic import Field, RootModel, SecretStr
from starlette.responses import JSONResponse

from tools.messages import Message, Names
from wenmai.application.paging import Strict
from wenmai.application.settings import Health, Me, ModelTest, ModelView, PublicSettings
from wenmai.direct_tools.calls import ToolList
from wenmai.inputs import FieldError, NotFound
from wenmai.settings.models import ProviderName
from wenmai.web.dependencies import ADMIN, Operations, resource
from wenmai.web.openapi import OPEN
from wenmai.web.problems import retry_headers

router = resource("server", "settings")
tools = resource("tools")


class ServiceBody(Strict):
    """Address, model and key of a service."""

    base_url: str | None = Field(default=None, max_length=2_000, description="null: the provider's own")
    model: str | None = Field(default=None, max_length=200, description="null: the provider's default")
    key: SecretStr | None = Field(
        default=None, description="null: the one that was chosen before for the same address; empty: none"
    )

    def service(self) -> dict[str, str | None]:
        key = None if self.key is None else self.key.get_secret_value()
        return {"base_url": self.base_url, "model": self.model, "key": key}


class ModelBody(ServiceBody):
    """A model service that is to answer."""

    provider: ProviderName


class TestBody(ServiceBody):
    """A model service that is asked, null for the one that answers."""

    provider: ProviderName | None = None


@router.get("/settings", summary="Get the public settings", openapi_extra=OPEN)
async def settings(app: Operations) -> PublicSettings:
    """Return what a client must know before it asks. Needs no key."""
    return await app.settings.public()


@router.get("/health", summary="Get the state of the server", openapi_extra=OPEN)
async def health(app: Operations) -> Health:
    """Say whether questions can be answered, and which store is down. Needs no key; the status is 200 in any case."""
    return await app.settings.health()


@router.post("/settings/test", summary="Ask the model service", dependencies=ADMIN)
async def tested(app: Operations, body: Annotated[TestBody, Body(default_factory=TestBody)]) -> ModelTest:
    """Ask the model two short questions, as `wenmai doctor` does. Needs the right to administer; may cost money.

    With a body it is that service which is asked, as `PUT /settings/model` would take it; nothing is kept.
    """
    return await app.settings.test_model(body.provider, **body.service())


@router.get("/settings/model", summary="Get the model service", dependencies=ADMIN)
async def model(app: Operations) -> ModelView:
    """Return which model service answers, and whether another can be chosen. Its key is never shown whole."""
    return await app.settings.model()


@router.put("/settings/model", summary="Choose the model service", dependencies=ADMIN)
async def chosen(app: Operations, body: ModelBody) -> ModelView:
    """Let another model service answer from the next question on, and keep that in DATA_DIR (MODEL_BY_ADMIN)."""
    return await app.settings.set_model(body.provider, **body.service())


@router.delete("/settings/model", summary="Forget the model service that was chosen", dependencies=ADMIN)
async def unset(app: Operations) -> ModelView:
    """Forget the model service that was chosen: what the environment says holds again."""
    return await app.settings.unset_model()


@router.get("/me", summary="Get your rights")
async def me(app: Operations) -> Me:
    """Return the user of the key and what it opens."""
    return await app.settings.me()


class Result(RootModel[dict[str, Any]]):
    """What the tool gives, or `{error, …}` in the form of the tool."""


@tools.get("/tools", summary="List tools")
async def listed(app: Operations) -> ToolList:
    """List the tools: the same as over MCP."""
    return ToolList(items=[*await app.tools.list()])


@tools.post("/tools/{name}", summary="Call a tool", response_model=Result)
async def called(
    app: Operations, name: str, arguments: Annotated[dict[str, Any], Body(default_factory=dict)]
) -> JSONResponse:
    """Call a tool as yourself. What is wrong with a call is a result in the tool's own form, with a status of 4xx."""
    known = [one.name for one in await app.tools.list()]
    if name not in known:
        raise NotFound("name", Message("tool.unknown", name=name[:80], known=Names(known)))
    reply = await app.tools.call(name, arguments)
    if isinstance(reply.refusal, FieldError) and reply.refusal.status == HTTPStatus.TOO_MANY_REQUESTS:
        return JSONResponse(reply.structured, reply.refusal.status, retry_headers(reply.refusal))
    usual = 403 if reply.structured.get("error_code") == "permission_denied" else 422
    named = reply.structured.get("status_code")
    return JSONResponse(reply.structured, 200 if reply.ok else named if isinstance(named, int) else usual)
