"""What holds for the checkpoints of every database: a thread that was deleted stays deleted."""

from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, ChannelVersions, Checkpoint, CheckpointMetadata

OF_THREAD = "SELECT checkpoint_id FROM checkpoints WHERE thread_id = {0} LIMIT 2"


class DeletingSaver(BaseCheckpointSaver[str]):
    """A saver in which a run that goes on after its thread was deleted, by whichever process, leaves nothing."""

    placeholder: str
    size: str  # the query for the bytes that the threads of a JSON array take

    async def rows(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        raise NotImplementedError

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint, and take it away again where the one before it is gone with all of its thread."""
        saved = await super().aput(config, checkpoint, metadata, new_versions)
        known = config.get("configurable", {})
        # Looked at behind the write: a deletion between the two has taken this one along.
        if known.get("checkpoint_id"):
            thread = str(known["thread_id"])
            if len(await self.rows(OF_THREAD.format(self.placeholder), thread)) == 1:
                await self.adelete_thread(thread)
        return saved
