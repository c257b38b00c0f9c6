"""The document of the API as a page: it needs no script and loads nothing from elsewhere."""

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Any

Operation = tuple[str, str, Mapping[str, Any]]  # method, path and what the document says of them

STYLES = ("tokens", "base", "reference")
HEAD = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Wenmai API {version}</title>'
    '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="{root}/icon.svg">'
    "{styles}</head><body><main>"
    '<h1>Wenmai API {version}</h1><p><a href="{source}">{source}</a> (OpenAPI 3.1)</p>'
)


def reference(document: Mapping[str, Any], source: str, root: str) -> str:
    """Return the page; `source` is the address of the document, `root` that of the folder of style sheets."""
    links = "".join(f'<link rel="stylesheet" href="{root}/styles/{name}.css">' for name in STYLES)
    head = HEAD.format(version=escape(document["info"]["version"]), styles=links, source=escape(source), root=root)
    groups = [(tag, list(found)) for tag, found in groupby(operations(document), key=lambda one: one[2]["tags"][0])]
    contents = "".join(f'<li><a href="#{escape(tag)}">{escape(tag)}</a></li>' for tag, _ in groups)
    body = "".join(section(tag, found) for tag, found in groups)
    return f"{head}<nav><ul>{contents}</ul></nav>{body}</main></body></html>"


def operations(document: Mapping[str, Any]) -> list[Operation]:
    """Return the operations, those of one tag together in their order."""
    found = [
        (method.upper(), path, known)
        for path, methods in document["paths"].items()
        for method, known in methods.items()
    ]
    tags = list(dict.fromkeys(known["tags"][0] for _, _, known in found))
    return sorted(found, key=lambda one: tags.index(one[2]["tags"][0]))


def section(tag: str, found: Sequence[Operation]) -> str:
    """Return the operations of a tag."""
    rows = "".join("".join(parts_of(*one)) for one in found)
    return f'<section><h2 id="{escape(tag)}">{escape(tag)}</h2>{rows}</section>'


def parts_of(method: str, path: str, known: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is shown of an operation: what it does, what it takes, an example of it."""
    yield f'<article id="{escape(known["operationId"])}"><h3>{escape(known["summary"])}</h3>'
    yield f"<p><code>{method} {escape(path)}</code></p><p>{escape(known['description'])}</p>"
    if parameters := known["parameters"]:
        yield f"<ul>{''.join(map(parameter, parameters))}</ul>"
    for kind, content in known.get("requestBody", {}).get("content", {}).items():
        yield from example(kind, content)
    for status, reply in known["responses"].items():
        if status != "default":
            yield f"<p>{status}</p>"
            for kind, content in reply.get("content", {}).items():
                yield from example(kind, content)
    yield "</article>"


def parameter(known: Mapping[str, Any]) -> str:
    """Return a parameter with its example."""
    shown = f"<code>{escape(known['name'])}</code> ({known['in']}{', required' if known['required'] else ''})"
    told = f": {escape(known['description'])}" if known.get("description") else ""
    like = f"; <code>{escape(str(known['example']))}</code>" if "example" in known else ""
    return f"<li>{shown}{told}{like}</li>"


def example(kind: str, content: Mapping[str, Any]) -> Iterator[str]:
    """Yield an example of a body."""
    value = content.get("example", next((one["value"] for one in content.get("examples", {}).values()), None))
    if value is not None:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
        yield f"<p><code>{escape(kind)}</code></p><pre>{escape(text)}</pre>"
