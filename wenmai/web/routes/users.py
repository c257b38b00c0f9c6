"""Removal of users: what is kept of one is removed everywhere."""

from wenmai.application.users import ErasureReceipt
from wenmai.web.dependencies import ADMIN, Operations, resource

router = resource("users")


@router.delete("/users/{user:path}", name="erased", summary="Remove a user", dependencies=ADMIN)
async def erased(app: Operations, user: str) -> ErasureReceipt:
    """End a user's keys and remove conversations, documents, memories and traces.

    Needs a key with the right to administer that opens every library.
    """
    return await app.users.erase(user)
