"""What was sent to LangSmith, put together again: runs of which each request brings a part, feedback, data sets."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any

import zstandard

Json = dict[str, Any]


@dataclass
class Records:
    """Everything that came.

    Attributes:
        texts: each request as it came, decompressed: what must not leave stands in none of them.
        runs: by id; inputs, outputs, extra and events stand in it once they came.
        unknown: requests that nothing answers.
    """

    texts: list[str] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    runs: dict[str, Json] = field(default_factory=dict)
    feedback: list[Json] = field(default_factory=list)
    datasets: dict[str, Json] = field(default_factory=dict)
    examples: dict[str, Json] = field(default_factory=dict)
    sessions: dict[str, Json] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)

    @property
    def said(self) -> str:
        """All that came, as one text; what JSON escapes is spelled out."""
        return "\n".join(self.texts)

    @property
    def roots(self) -> list[Json]:
        """The runs without a parent."""
        return [run for run in self.runs.values() if not run.get("parent_run_id")]

    def scores(self, run_id: str) -> dict[str, float]:
        """Return the feedback on a run."""
        return {one["key"]: one["score"] for one in self.feedback if str(one.get("run_id")) == run_id}

    def run(self, part: Mapping[str, Any]) -> None:
        """Take a run, or what is new of it."""
        known = self.runs.setdefault(str(part["id"]), {})
        known.update({name: value for name, value in part.items() if value is not None})

    def multipart(self, body: bytes, content_type: str) -> None:
        """Take the parts of runs and feedback."""
        for name, value in parts_of(body, content_type):
            kind, id, *rest = name.split(".", 2)
            if kind == "feedback":
                self.feedback.append(value)
            elif rest:
                self.run({"id": id, rest[0]: value})
            else:
                self.run(value)


def plain(body: bytes, encoding: str | None) -> bytes:
    """Return a body as it was before it was compressed."""
    return zstandard.ZstdDecompressor().decompressobj().decompress(body) if encoding == "zstd" else body


def parts_of(body: bytes, content_type: str) -> Iterator[tuple[str, Any]]:
    """Yield name and JSON of each part of a form."""
    message = BytesParser(policy=HTTP).parsebytes(f"Content-Type: {content_type}\r\n\r\n".encode() + body)
    for part in message.iter_parts():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        assert isinstance(content, bytes)
        yield str(name), json.loads(content)


def spelled_out(body: bytes) -> str:
    """Return a body as text in which no character is hidden behind an escape."""
    text = body.decode("utf-8", errors="replace")
    try:
        return json.dumps(json.loads(text), ensure_ascii=False)
    except ValueError:
        return text
