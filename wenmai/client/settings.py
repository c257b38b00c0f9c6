"""What a running server says of itself and of the user's rights."""

from dataclasses import dataclass

from wenmai.application.models.settings import Health, Me, ModelTest, PublicSettings
from wenmai.client.connection import Connection


@dataclass(frozen=True, slots=True)
class RemoteSettings:
    """`SettingsOperations` of a running server."""

    server: Connection

    async def public(self) -> PublicSettings:
        """Return what everybody may know before the first question."""
        return await self.server.get(PublicSettings, "/settings")

    async def health(self) -> Health:
        """Return whether questions can be answered, and which store is down."""
        return await self.server.get(Health, "/health")

    async def test_model(self) -> ModelTest:
        """Ask the model two short questions; may cost money. Needs the right to administer."""
        return await self.server.send(ModelTest, "POST", "/settings/test")

    async def me(self) -> Me:
        """Return the user and what is open to the user."""
        return await self.server.get(Me, "/me")
