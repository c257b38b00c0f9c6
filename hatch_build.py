"""A step of the wheel's build: the page in a few files, by esbuild where `make` has installed it for tests/page.

Elsewhere the wheel has the page's sources, which browsers read as they lie, as in a clone: nobody needs node.
"""

import re
import shutil
import subprocess
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PAGE = Path("wenmai/web/page")
PROGRAM = "tests/page/node_modules/@esbuild/*/bin/esbuild"
ENTRY, STYLES = "app.js", "page.css"
LAZY = [f"vendor/{name}.js" for name in ("cytoscape", "dompurify", "marked")]  # each is loaded when it is needed
BUNDLED = {ENTRY, STYLES, *LAZY, "index.html", "docs.html", "docs.js", "vendor/swagger-ui.js", "vendor/swagger-ui.css"}
LINK = re.compile(r'<link rel="stylesheet" href="\{root\}/([^"]+)"[^>]*>\s*')
COMMENT = re.compile(r"<!--.*?-->\s*", re.DOTALL)
# The element whose id keeps Cytoscape from a style of its own, which the policy of the page refuses.
ONE_LINK = f'<link rel="stylesheet" href="{{root}}/{STYLES}" id="__________cytoscape_stylesheet">\n  '


class PageBundle(BuildHookInterface[Any]):
    """Puts the page's scripts, styles and documents into the wheel, which pyproject.toml leaves out."""

    folder: Path | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the files in a folder of their own; an editable install serves those of the clone."""
        if version == "editable":
            return
        root, self.folder = Path(self.root), Path(mkdtemp(prefix="wenmai-page-"))
        unused = shutil.ignore_patterns("*.py", "*.pyc", "*.md", "*.d.ts", "*.txt")
        shutil.copytree(root / PAGE, self.folder, ignore=unused, dirs_exist_ok=True)
        program = next(iter(sorted(root.glob(PROGRAM))), None)
        if program is None:
            self.app.display_warning("esbuild is not installed (npm ci in tests/page): the page is not bundled")
        else:
            bundle(self.folder, program)
        for file in self.folder.rglob("*.*"):
            name = file.relative_to(self.folder).as_posix()
            if file.is_file() and (program is None or name in BUNDLED):
                build_data["force_include"][str(file)] = (PAGE / name).as_posix()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if self.folder is not None:
            shutil.rmtree(self.folder)


def bundle(folder: Path, program: Path) -> None:
    """Write one script and one sheet of styles in the place of the sources. Raises CalledProcessError."""
    document = folder / "index.html"
    text = document.read_text(encoding="utf-8")
    sheets = "".join(f'@import "./{name}";\n' for name in LINK.findall(text))
    usual = [str(program), "--bundle", "--minify", "--charset=utf8", "--legal-comments=none", "--log-level=warning"]
    lazy = [f"--external:./{name}" for name in LAZY]
    script = [ENTRY, "--format=esm", *lazy, f"--outfile={ENTRY}", "--allow-overwrite"]
    subprocess.run([*usual, *script], cwd=folder, check=True)
    styles = ["--loader=css", f"--outfile={STYLES}"]
    subprocess.run([*usual, *styles], cwd=folder, check=True, input=sheets, encoding="utf-8")
    first, *_ = LINK.finditer(text)
    rest = LINK.sub("", COMMENT.sub("", text[first.start() :]))
    document.write_text(text[: first.start()] + ONE_LINK + rest, encoding="utf-8")
