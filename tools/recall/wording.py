"""Messages of the memory tools, in Chinese and English."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from tools.wording import Words

ErrorCode = Literal["timeout", "permission_denied", "not_found", "database_error", "invalid_input"]

# Every message names a remedy; a list of wrong fields is one.
REMEDIES: Mapping[ErrorCode, Words] = MappingProxyType(
    {
        "timeout": Words("缩小搜索范围，使用更精确的关键词", "narrow the search and use more precise keywords"),
        "permission_denied": Words(
            "请报告调用方，可能需要重新认证", "report it to the calling agent, it may have to authenticate again"
        ),
        "not_found": Words("尝试模糊搜索或询问用户更多信息", "try a fuzzy search or ask the user for more information"),
        "database_error": Words("已重试一次，请报告调用方", "it was tried twice, report it to the calling agent"),
    }
)
# The beginning of each tool's failure message.
FAILURES: Mapping[str, Words] = MappingProxyType(
    {
        "search_memories": Words("搜索失败: {error}", "Search failed: {error}"),
        "get_memory_detail": Words("获取记忆详情失败: {error}", "Could not get the memory: {error}"),
        "extract_search_keywords": Words("关键词提取失败: {error}", "Could not extract keywords: {error}"),
        "expand_context_window": Words("拓展上下文窗口失败: {error}", "Could not expand the window: {error}"),
        "handoff": Words("结束回忆失败: {error}", "Could not hand off: {error}"),
    }
)
WITH_REMEDY = Words("{error}。{remedy}", "{error}. {remedy}")
AND = "; "

FOUND = Words("找到 {total} 条相关记忆，返回 {returned} 条", "{total} relevant memories found, {returned} returned")
NOTHING = Words("未找到相关记忆", "No relevant memory was found")
NOT_EXPANDED = Words(
    "{message}（关键词拓展失败，仅使用给定的关键词）",
    "{message} (keywords could not be expanded, only the given ones were used)",
)
SEARCHES_IN_ROW = Words(
    "已连续搜索 {count} 次，请获取记忆详情、拓展上下文窗口或调用 handoff",
    "{count} searches in a row: get a memory's detail, expand the context window or call handoff",
)
SEARCHES_IN_ALL = Words(
    "本次回忆已搜索 {count} 次，请获取记忆详情、拓展上下文窗口或调用 handoff",
    "{count} searches in this recall: get a memory's detail, expand the context window or call handoff",
)
SENSITIVE = Words("[敏感记忆]", "[sensitive memory]")

GOT = Words("已获取记忆详情", "Here is the memory")
GOT_CUT = Words("已获取记忆详情（内容共 {size} 字节，已截断）", "Here is the memory (of {size} bytes, it was cut)")
GOT_PART = Words(
    "已获取记忆详情（内容共 {size} 字节，从第 {offset} 个字符起显示 {shown} 个，其余用 offset={next} 再次获取）",
    "Here is the memory (of {size} bytes, {shown} characters from {offset} on; call again with offset={next} for more)",
)
UNKNOWN_KEY = Words("未找到记忆: {key}", "No such memory: {key}")
FORBIDDEN = Words("没有查看敏感记忆的权限", "sensitive memories need a permission")
NO_USER = Words("缺少用户身份，不能读取记忆", "no user is known, memories cannot be read")
TOO_SLOW = Words("在 {seconds:g} 秒内没有完成", "not finished within {seconds:g} seconds")

EXTRACTED = Words("提取了 {count} 个关键词", "{count} keywords extracted")
LAST_ITERATION = Words(
    "已达到最大迭代次数 ({most})，无法继续拓展", "The last iteration ({most}) is reached, no further expansion"
)
NOT_LARGER = Words(
    "请求的窗口大小必须大于当前大小 ({size})", "The requested window must be larger than the current one ({size})"
)
NO_OLDER = Words("没有更早的消息可供拓展", "There is no older message")
APPROVED = Words(
    "批准拓展到 {size} 条消息，进入第 {iteration} 轮迭代", "Expanded to {size} messages, iteration {iteration} begins"
)

REASON_FOUND = Words("已找到相关记忆，搜索完成", "Relevant memories were found, the search is done")
REASON_NOTHING = Words("未找到相关记忆", "No relevant memory was found")
REASON_CAP = Words("达到最大迭代次数", "The limit of iterations is reached")
FOLLOW_UP = Words(
    "您能否提供更多细节，比如大概什么时间或什么主题？",
    "Could you give more details, for example roughly when it was, or what it was about?",
)
SUMMARY_FOUND = Words("找到 {count} 条可能相关的记忆", "{count} memories that may be relevant were found")
# the parts of the handoff message.
HANDOFF = Words(
    "## 记忆搜索完成 (信心度: {confidence:.0%})", "## Memory search finished (confidence: {confidence:.0%})"
)
HANDOFF_SUMMARY = Words("\n### 搜索总结\n{text}", "\n### Summary\n{text}")
HANDOFF_REASON = Words("\n### 相关性分析\n{text}", "\n### Relevance\n{text}")
HANDOFF_KEYS = Words(
    "\n### 相关记忆标识\n共找到 {count} 个相关记忆:", "\n### Relevant memories\n{count} relevant memories:"
)
HANDOFF_QUESTION = Words("\n### 需要进一步澄清\n{text}", "\n### To be cleared up\n{text}")
