"""The reader of a process, or one line that says why there is none."""

import logging
from pathlib import Path

import pytest

from wenmai.app.container import Services
from wenmai.reader import reader
from wenmai.settings.settings import load_settings


def test_it_is_opened_once(tmp_path: Path) -> None:
    services = Services(load_settings(data_dir=tmp_path))

    assert services.reader is not None and services.reader is services.reader
    assert services.reader.name.startswith("reader-")


def test_another_file_has_another_name(tmp_path: Path) -> None:
    reader = Services(load_settings(data_dir=tmp_path)).reader
    assert reader is not None
    other = tmp_path / "reader.onnx"
    other.write_bytes(b"weights")

    assert type(reader)(reader.model, reader.inputs, other).name != reader.name


@pytest.mark.parametrize("missing", ["USE_READER=false", "找不到阅读模型"])
def test_where_it_is_missing_one_line_says_so(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(reader, "GRAPH", "gone.onnx")
    services = Services(load_settings(data_dir=tmp_path, use_reader="false" not in missing))

    with caplog.at_level(logging.WARNING):
        assert services.reader is None and services.reader is None

    [line] = caplog.messages
    assert missing in line and "\n" not in line
