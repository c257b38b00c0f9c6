"""The model service that was chosen by page, API or command: a file of DATA_DIR, read behind the environment."""

import json
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tools.errors import ConfigError
from tools.files import replace_file
from tools.messages import Message
from tools.reasons import file_reason
from wenmai.settings.group import HeaderKey, HttpAddress
from wenmai.settings.models import ProviderName

MODEL_FILE = "model.json"


class ModelService(BaseModel):
    """A model service and its model; without `base_url` the provider's own address, without `model` its default."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    provider: ProviderName
    base_url: HttpAddress | None = None
    model: str | None = Field(default=None, min_length=1)
    key: HeaderKey | None = None


def read_service(data_dir: Path) -> ModelService | None:
    """Return the service that was chosen, None without a file. Raises ConfigError for one that cannot be read."""
    path = data_dir / MODEL_FILE
    try:
        return ModelService.model_validate_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValidationError) as exc:
        raise ConfigError(Message("model.file_unreadable", path=path, reason=file_reason(exc))) from exc


def write_service(data_dir: Path, service: ModelService | None) -> None:
    """Write the file, which its owner alone reads, or remove it. Raises OSError."""
    path = data_dir / MODEL_FILE
    if service is None:
        path.unlink(missing_ok=True)
        return
    data_dir.mkdir(parents=True, exist_ok=True)
    key = service.key.get_secret_value() if service.key else None
    replace_file(path, json.dumps({**service.model_dump(), "key": key}, ensure_ascii=False, indent=1))
