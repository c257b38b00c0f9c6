"""What a client must know of the server: who it asks for, its limits, and whether it can answer now."""

from wenmai.application.models.settings import Health, Me, ModelTest, PublicSettings
from wenmai.web.dependencies import ADMIN, Operations, resource
from wenmai.web.openapi import OPEN

router = resource("server")


@router.get("/settings", summary="Get the public settings", openapi_extra=OPEN)
async def settings(app: Operations) -> PublicSettings:
    """Return what a client must know before it asks. Needs no key."""
    return await app.settings.public()


@router.get("/health", summary="Get the state of the server", openapi_extra=OPEN)
async def health(app: Operations) -> Health:
    """Say whether questions can be answered, and which store is down. Needs no key; the status is 200 in any case."""
    return await app.settings.health()


@router.post("/settings/test", summary="Ask the model service", dependencies=ADMIN)
async def tested(app: Operations) -> ModelTest:
    """Ask the model two short questions, as `wenmai doctor` does. Needs the right to administer; may cost money."""
    return await app.settings.test_model()


@router.get("/me", summary="Get your rights")
async def me(app: Operations) -> Me:
    """Return the user of the key and what it opens."""
    return await app.settings.me()
