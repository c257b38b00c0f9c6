"""What `wenmai doctor` says: its findings, and their texts."""

from dataclasses import dataclass

from tools.wording import Words

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


@dataclass(frozen=True, slots=True)
class Check:
    """A finding: True is well, None is worth knowing, False must be mended."""

    name: str
    ok: bool | None
    text: str
