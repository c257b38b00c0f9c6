"""What the site adds to the pages of this folder: the README in both languages, and links that leave the folder."""

import re
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
READMES = {"README.md": "index.md", "README.zh.md": "index.zh.md"}
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(((?!https?:|mailto:|#)[^)\s]+)\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the READMEs as the first pages. Returns the files of the site."""
    for name, page in READMES.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=re.sub(r"(\]\(|src=\")docs/", r"\1", text)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Return a page in which what is no part of the site is named, not linked; it must be there.

    Raises:
        PluginError: a link leads nowhere.
    """
    is_readme = page.file.src_uri in READMES.values()
    folder = ROOT if is_readme else (ROOT / "docs" / page.file.src_uri).parent

    def kept(match: re.Match[str]) -> str:
        text, target = match.groups()
        path, _, anchor = target.partition("#")
        if path in READMES and is_readme:
            return f"[{text}]({READMES[path]}{'#' + anchor if anchor else ''})"
        place = (folder / path).resolve()
        if place.is_relative_to(ROOT / "docs") or (is_readme and (ROOT / "docs" / path).exists()):
            return match[0]
        if not place.exists():
            raise PluginError(f"{page.file.src_uri}: {target} leads nowhere")
        return text

    return LINK.sub(kept, markdown)
