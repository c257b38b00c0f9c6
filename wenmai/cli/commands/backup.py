"""`wenmai backup` and `wenmai restore`: DATA_DIR in one file, and back."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tools.wording import Words
from wenmai.cli.output.terminal import print_line
from wenmai.cli.placing import stores

if TYPE_CHECKING:
    from wenmai.app.backups import Manifest
    from wenmai.settings.settings import Settings

SAVED = Words("已备份到 {path}：{content}", "Backed up to {path}: {content}")
RESTORED = Words("已恢复到 {path}：{content}", "Restored to {path}: {content}")
CONTENT = Words(
    "{files} 个文件，{size:.1f} MB，资料库 {libraries}", "{files} files, {size:.1f} MB, libraries {libraries}"
)
NONE = Words("无", "none")
ELSEWHERE = Words(
    "不在其中：{servers} 上的数据，请用它们自己的工具备份（docs/operations.md）",
    "Not in it: what is on {servers}; back it up with its own tools (docs/operations.md)",
)
CHECK = Words("请用 wenmai doctor 检查", "Check it with wenmai doctor")


def backup(
    target: Annotated[Path, typer.Argument(help="File to write, or a folder that exists.")],
) -> None:
    """Write DATA_DIR to one file: libraries, memories, documents, networks, threads, keys. No server may run."""

    async def work() -> "tuple[Path, Manifest, Settings]":
        async with stores() as app:
            return *await app.libraries.back_up(target), app.services.settings

    path, manifest, settings = asyncio.run(work())
    print_line(SAVED.say(path=path, content=content_of(manifest)))
    known = {"Qdrant": settings.qdrant_address, "Neo4j": settings.neo4j_uri, "PostgreSQL": settings.postgres_uri}
    if servers := ", ".join(name for name, address in known.items() if address):
        print_line(ELSEWHERE.say(servers=servers), "yellow")


def restore(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="A file of wenmai backup.")],
) -> None:
    """Put a backup into an empty DATA_DIR. Each file is compared with its checksum before anything is there."""

    async def work() -> "tuple[Manifest, Path]":
        async with stores() as app:
            return await app.libraries.restore(file), app.services.settings.data_dir

    manifest, data_dir = asyncio.run(work())
    print_line(RESTORED.say(path=data_dir, content=content_of(manifest)))
    print_line(CHECK.say(), "dim")


def content_of(manifest: "Manifest") -> str:
    size = sum(one.size for one in manifest.files.values()) / 1_000_000
    return CONTENT.say(files=len(manifest.files), size=size, libraries=", ".join(manifest.libraries) or NONE.say())
