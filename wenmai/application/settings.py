"""What a caller must know of the server: who asks, its limits, whether it can answer now, and which model does."""

import asyncio
import time
from dataclasses import dataclass
from http import HTTPStatus
from importlib.metadata import version
from typing import Literal, get_args

from pydantic import BaseModel, Field, SecretStr, ValidationError

from state.context import Toolkit
from tools.extras import require_extra
from tools.messages import Message, Names
from tools.reasons import reason_of
from wenmai.app.container import Services
from wenmai.application.caller import Caller
from wenmai.inputs import FieldError
from wenmai.observability.cleaning import know, secrets_of
from wenmai.settings.model_file import MODEL_FILE, ModelService, read_service, write_service
from wenmai.settings.models import ProviderName
from wenmai.stores.files.folder import engine_errors

SHOWN, LEAST = 4, 16
"""Characters that are shown of a key, and that it must have for that."""
WRONG = {"base_url": Message("model.address_wrong"), "key": Message("model.key_not_ascii")}


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


class ModelView(BaseModel):
    """Which model service answers, and where that is said."""

    provider: ProviderName | None = Field(description="Its protocol; null: the offline mind answers")
    base_url: str | None = Field(description="Its address; null: the provider's own")
    model: str | None
    key: str | None = Field(description="The end of its key, which is never shown whole; null without one")
    is_chosen: bool = Field(description="Whether it was chosen by page, API or command; it is kept in DATA_DIR")
    may_choose: bool = Field(description="Whether the caller may choose another one (MODEL_BY_ADMIN)")
    service_variables: list[str] = Field(description="Variables that name the service: they win, none can be chosen")
    model_variables: list[str] = Field(description="Variables that name its model: they win, none can be chosen")


class Health(BaseModel):
    """Whether questions can be answered now."""

    ready: bool
    stores: dict[str, Literal["ok", "down"]]
    warnings: list[str] = Field(
        default_factory=list,
        description="What is missing of libraries, or keeps them from being opened, and what to do",
    )


class Me(BaseModel):
    """Who asks, and what he may do; null stands for all."""

    user_id: str
    is_admin: bool
    permissions: list[str]
    libraries: list[str] | None
    networks: list[str] | None


@dataclass(frozen=True, slots=True)
class SettingsOperations:
    """What can be asked of a process and of the caller's rights."""

    services: Services
    caller: Caller

    async def public(self) -> PublicSettings:
        """Return what everybody may know before the first question."""
        known = self.services.settings
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
            version=version("wenmai"),
            needs_key=await self.services.keys.is_on(),
            mind="model" if known.asks_model else "offline",
            model=self._model(),
            reads=known.use_reader,
            toolkits=[*get_args(Toolkit)],
            limits=limits,
        )

    async def health(self) -> Health:
        """Return whether questions can be answered, and which store is down."""
        looks, known = self.services.looks, {**self.services.losses, **self.services.spoilt}
        down, faults = await looks.down(), {**known, **await looks.without_room()}
        return Health(
            ready=not any(down.values()),
            stores={name: "down" if one else "ok" for name, one in down.items()},
            warnings=[str(one) for name, one in faults.items() if self.caller.opens(name)],
        )

    async def model(self) -> ModelView:
        """Return which model service answers. Needs a key that administers everything."""
        from wenmai.minds.choice import endpoint_of, role_models

        self.caller.require_everything()
        known = self.services.settings
        endpoint = endpoint_of(known) if known.provider else None
        return ModelView(
            provider=known.provider,
            base_url=endpoint.base_url if endpoint else None,
            model=role_models(known).agent.id if endpoint else None,
            key=end_of(endpoint.key) if endpoint else None,
            is_chosen=await asyncio.to_thread(read_service, known.data_dir) is not None,
            may_choose=await self._may_choose(),
            service_variables=known.service_variables,
            model_variables=known.model_variables(known.provider) if known.provider else [],
        )

    async def set_model(
        self, provider: ProviderName, *, base_url: str | None = None, model: str | None = None, key: str | None = None
    ) -> ModelView:
        """Let another model service answer from the next question on, and keep that in DATA_DIR.

        Args:
            provider: its protocol.
            base_url: its address; None: the provider's own.
            model: its id there; None: the provider's default, which a service at an address of its own has not.
            key: None: the one that was chosen before for the same address; empty: none.

        Raises:
            FieldError: nobody may choose (403), a variable names the service (409), or something is wrong or missing.
            ConfigError: the extra that speaks to the provider is not installed.
            StoreError: the file cannot be written, StoreFull on a full disk; what was chosen before stays.
        """
        async with self.services.choosing:
            return await self._answer_by(await self._service(provider, base_url, model, key))

    async def unset_model(self) -> ModelView:
        """Forget the model service that was chosen: what the environment says holds again.

        Raises FieldError (403), StoreError.
        """
        await self._require_choice()
        async with self.services.choosing:
            return await self._answer_by(None)

    async def test_model(
        self,
        provider: ProviderName | None = None,
        *,
        base_url: str | None = None,
        model: str | None = None,
        key: str | None = None,
    ) -> ModelTest:
        """Ask the model two short questions, as `wenmai doctor` does; may cost money. Needs the right to administer.

        With a provider it is that service which is asked, as `set_model` would take it, and nothing is kept. Raises
        what `set_model` raises.
        """
        from wenmai.app.doctor import check_mind, check_model, check_service
        from wenmai.minds.choice import endpoint_of, role_models
        from wenmai.minds.model.providers import provider_of

        self.caller.require_admin()
        known, started = self.services.settings, time.perf_counter()
        if provider is None:
            checks = await check_model(self.services) or [check_mind(known)]
        else:
            known = known.with_service(await self._service(provider, base_url, model, key))
            know(secrets_of(known))
            asked = provider_of(endpoint_of(known))
            try:
                checks = [(await check_service(asked, known))[0]]
            finally:
                await asked.close()
        return ModelTest(
            model=role_models(known).agent.id if known.asks_model or provider else None,
            ok=all(one.ok is not False for one in checks),
            text="；".join(one.text for one in checks),
            seconds=round(time.perf_counter() - started, 2),
        )

    async def me(self) -> Me:
        """Return the user and what is open to the user."""
        who = self.caller
        return Me(
            user_id=who.user_id,
            is_admin=who.is_admin,
            permissions=sorted(who.permissions),
            libraries=None if who.libraries is None else sorted(who.libraries),
            networks=None if who.networks is None else sorted(who.networks),
        )

    async def _may_choose(self) -> bool:
        allowed = self.services.settings.model_by_admin
        return not (self.services.is_server and await self.services.keys.is_on()) if allowed is None else allowed

    async def _require_choice(self) -> None:
        """Raise FieldError (403) unless the caller may choose the model service."""
        self.caller.require_everything()
        if not await self._may_choose():
            raise FieldError("provider", Message("model.not_by_admin"), HTTPStatus.FORBIDDEN)

    async def _service(
        self, provider: ProviderName, base_url: str | None, model: str | None, key: str | None
    ) -> ModelService:
        """Return a service that may be chosen, as it was given. Raises FieldError, ConfigError."""
        await self._require_choice()
        base_url, model = (base_url or "").strip() or None, (model or "").strip() or None
        key = key.strip() if key else key
        known = self.services.settings
        named = known.service_variables
        if named and (provider != known.environment.provider or base_url or key):
            raise FieldError("provider", Message("model.named_by", names=Names(named)), HTTPStatus.CONFLICT)
        if model and (names := known.model_variables(provider)):
            raise FieldError("model", Message("model.named_by", names=Names(names)), HTTPStatus.CONFLICT)
        if provider == "gemini":
            require_extra("gemini", "Gemini")
        before = await asyncio.to_thread(read_service, known.data_dir)
        if key is None and before and before.key and (before.provider, before.base_url) == (provider, base_url):
            key = before.key.get_secret_value()
        try:
            secret = SecretStr(key) if key else None
            service = ModelService(provider=provider, base_url=base_url, model=model, key=secret)
        except ValidationError as error:
            first = error.errors(include_input=False)[0]
            field = str(first["loc"][0])
            raise FieldError(field, WRONG.get(field) or reason_of(first)) from None  # its text may quote a key
        if not is_url(service.base_url or ""):
            raise FieldError("base_url", WRONG["base_url"])
        if not named and service.key is None and (provider == "gemini" or service.base_url is None):
            raise FieldError("key", Message("model.key_missing"))
        if not named and service.base_url and provider == "openai" and service.model is None:
            raise FieldError("model", Message("model.model_missing"))
        return service

    async def _answer_by(self, service: ModelService | None) -> ModelView:
        known = self.services.settings

        def keep() -> None:
            with engine_errors(known.data_dir / MODEL_FILE, OSError):
                write_service(known.data_dir, service)

        await asyncio.to_thread(self.services.use_settings, known.with_service(service), keep)
        return await self.model()

    def _model(self) -> str | None:
        from wenmai.minds.choice import role_models

        known = self.services.settings
        return role_models(known).agent.id if known.asks_model else None


def is_url(text: str) -> bool:
    """Return True if a client of HTTP can read an address."""
    import httpx

    try:
        httpx.URL(text)
    except httpx.InvalidURL:
        return False
    return True


def end_of(key: str) -> str | None:
    """Return the last characters of a key, of a short one none; None without a key."""
    return f"…{key[-SHOWN:] if len(key) >= LEAST else ''}" if key else None
