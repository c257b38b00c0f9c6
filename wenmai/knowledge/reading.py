"""What a file or folder is read as."""

from pathlib import Path

from tools.errors import InputError
from tools.wording import Words
from wenmai.knowledge.content import Content
from wenmai.knowledge.files import SCHEMA_FILE, read_network
from wenmai.knowledge.inferring import read_folder
from wenmai.knowledge.mending import Mending, mended
from wenmai.knowledge.spec import check_id, identifier
from wenmai.knowledge.triples import read_triples

NO_ID = Words(
    "三元组文件没有网络的 id：请用 --network 给出", "a file of triples has no id of a network: give one by --network"
)
NO_NETWORK = Words(
    "{path}：请给出含 {schema} 或 CSV 文件的文件夹、YAML 文件，或三元组的 .json 文件",
    "{path}: name a folder with {schema} or CSV files, a YAML file, or a .json file of triples",
)
YAML = frozenset({".yaml", ".yml"})


def read_content(path: Path, network_id: str | None) -> tuple[Content, bool]:
    """Return the network of a folder, a schema file or a file of triples, and whether it was inferred.

    A folder without a schema is one of plain CSV files.

    Raises InputError.
    """
    if network_id is not None:
        check_id(network_id)
    if path.suffix.lower() in YAML or (path / SCHEMA_FILE).is_file():
        return read_network(path, network_id), False
    if path.is_dir():
        return read_folder(path, network_id or id_of(path)), True
    if path.suffix.lower() != ".json":
        raise InputError(NO_NETWORK.of(path=path, schema=SCHEMA_FILE))
    if network_id is None:
        raise InputError(NO_ID)
    return read_triples(path, network_id), True


def read_mended(path: Path, network_id: str | None, mending: Mending | None) -> tuple[Content, bool]:
    """Return the network of a path with its corrections, and whether it was inferred. Raises InputError."""
    content, is_inferred = read_content(path, network_id)
    return (mended(content, mending) if mending else content), is_inferred


def id_of(folder: Path) -> str:
    """Return the id of the network of a folder: the folder's name."""
    return identifier(folder.resolve().name, ())
