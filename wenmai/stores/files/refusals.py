"""What stores refuse, in both languages; texts that several stores say stand here once."""

from dataclasses import dataclass
from pathlib import Path

from tools.messages import Message


@dataclass(frozen=True, slots=True)
class Content:
    """What a folder holds, as errors name it, and how to restore lost files; both may name the `{folder}`."""

    name: Message
    restore: Message

    def named(self, folder: Path) -> Message:
        return Message(self.name.key, folder=folder.name)


LIBRARY = Content(
    name=Message("library.in_folder"),
    restore=Message("library.delete_and_ingest"),
)
