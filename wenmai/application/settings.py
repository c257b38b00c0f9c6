"""What a caller must know of the server: who asks, its limits, and whether it can answer now."""

import time
from dataclasses import dataclass
from importlib.metadata import version
from typing import Literal, get_args

from pydantic import BaseModel, Field

from state.context import Toolkit
from wenmai.app.container import Services
from wenmai.application.caller import Caller


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
    warnings: list[str] = Field(default_factory=list, description="What is missing of libraries, and how to mend it")


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
        down, faults = await self.services.looks.down(), {**self.services.losses, **self.services.spoilt}
        return Health(
            ready=not any(down.values()),
            stores={name: "down" if one else "ok" for name, one in down.items()},
            warnings=[str(one) for name, one in faults.items() if self.caller.opens(name)],
        )

    async def test_model(self) -> ModelTest:
        """Ask the model two short questions, as `wenmai doctor` does; may cost money. Needs the right to administer."""
        from wenmai.app.doctor import check_mind, check_model

        self.caller.require_admin()
        started = time.perf_counter()
        checks = await check_model(self.services) or [check_mind(self.services.settings)]
        return ModelTest(
            model=self._model(),
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

    def _model(self) -> str | None:
        from wenmai.minds.choice import role_models

        known = self.services.settings
        return role_models(known).agent.id if known.asks_model else None
