"""`wenmai backup` and `wenmai restore`: DATA_DIR in one file, and back."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tools.messages import say
from wenmai.cli.output.terminal import print_line
from wenmai.cli.placing import stores

if TYPE_CHECKING:
    from wenmai.app.backups.backup import Manifest
    from wenmai.settings.settings import Settings


def backup(
    target: Annotated[Path, typer.Argument(help="help.backup.target")],
) -> None:
    """Write DATA_DIR to one file: libraries, memories, documents, networks, threads, keys. No server may run."""

    async def work() -> "tuple[Path, Manifest, Settings]":
        async with stores() as app:
            return *await app.libraries.back_up(target), app.services.settings

    path, manifest, settings = asyncio.run(work())
    print_line(say("backup.saved", path=path, content=content_of(manifest)))
    known = {"Qdrant": settings.qdrant_address, "Neo4j": settings.neo4j_uri, "PostgreSQL": settings.postgres_uri}
    if servers := ", ".join(name for name, address in known.items() if address):
        print_line(say("backup.not_included", servers=servers), "yellow")


def restore(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="help.restore.file")],
) -> None:
    """Put a backup into an empty DATA_DIR. Each file is compared with its checksum before anything is there."""

    async def work() -> "tuple[Manifest, Path]":
        async with stores() as app:
            return await app.libraries.restore(file), app.services.settings.data_dir

    manifest, data_dir = asyncio.run(work())
    print_line(say("backup.restored", path=data_dir, content=content_of(manifest)))
    print_line(say("backup.check_with_doctor"), "dim")


def content_of(manifest: "Manifest") -> str:
    """Return what a backup holds, in words."""
    size = sum(one.size for one in manifest.files.values()) / 1_000_000
    return say(
        "backup.content",
        files=len(manifest.files),
        size=size,
        libraries=", ".join(manifest.libraries) or say("sign.none"),
    )
