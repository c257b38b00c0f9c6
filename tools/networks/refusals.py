"""Errors of the networks' tools, `{error, status_code, detail}`, and which failures of a request are an answer."""

from typing import Any

from tools.errors import KnowledgeFailed, KnowledgeQueryError, KnowledgeRefused, KnowledgeTimeout, StoreError
from tools.wording import Words

CALL_S = 5.0  # seconds for one request
FAILURES = (KnowledgeTimeout, KnowledgeFailed, KnowledgeQueryError)  # of one request: the others go on
FAILURES_AND_REFUSALS = (*FAILURES, KnowledgeRefused)


def cause_of(failure: BaseException) -> str:
    """Return a failure in one word for people: the service's own words may hold its addresses."""
    return "timeout" if isinstance(failure, KnowledgeTimeout) else "error"


BAD_REQUEST = 400
BAD_GATEWAY = 502  # a time-out or a 5xx of the service

NO_SESSION = Words(
    "session_id参数必须提供，用于存储和检索schema信息", "session_id must be given: the schema is kept under it"
)
NO_TYPE = Words(
    "object_type_id参数必须提供，用于指定关键词所属的对象类型",
    "object_type_id must be given: it tells which object type the keyword belongs to",
)
NO_TYPE_MESSAGE = Words(
    "当enable_keyword_context=True时，object_type_id参数必须提供。因为即使用关键词，但是有很多对象类型，"
    "你不知道这个关键词属于哪个对象类型。",
    "With enable_keyword_context=True, object_type_id must be given: there are many object types, and a keyword alone "
    "does not tell which one it belongs to.",
)
NO_TYPE_SUGGESTION = Words(
    "请提供object_type_id参数，例如：object_type_id='person'",
    "give object_type_id, for instance object_type_id='person'",
)
NO_SCHEMA = Words(
    "Schema信息不存在，请先调用enable_keyword_context=False召回schema",
    "there is no schema: first call with enable_keyword_context=False to recall it",
)
NO_SCHEMA_MESSAGE = Words(
    "请先调用knowledge_network_retrieval工具，设置enable_keyword_context=False召回schema",
    "first call knowledge_network_retrieval with enable_keyword_context=False to recall the schema",
)
UNKNOWN_TYPE = Words("object_type_id不存在于已召回的schema中", "object_type_id is not in the recalled schema")
SEVERAL = Words(
    "关键词召回只支持一个知识网络，请指定kn_ids", "keyword recall works on one knowledge network: name it in kn_ids"
)
BLANK = Words("query参数不能为空", "query must not be empty")
FOREIGN = Words("kn_ids只能是本次运行的知识网络的子集", "kn_ids may only be a subset of this run's knowledge networks")
NO_NETWORK = Words("没有指定知识网络（kn_ids）", "no knowledge network is named (kn_ids)")
# A service's own words may hold its addresses: they are logged, never answered.
REFUSALS = {
    401: Words("知识网络 {id} 要求登录，请检查令牌", "knowledge network {id} asks for a login: check the token"),
    403: Words("没有查看知识网络 {id} 的权限", "no permission to see knowledge network {id}"),
    404: Words(
        "没有知识网络 {id}，或其中没有所问的类型", "there is no knowledge network {id}, or not the type asked for"
    ),
}
UNAVAILABLE = Words("知识网络服务暂时不可用", "the knowledge network service is not available")


class RefusedCall(Exception):
    """A call that is answered with an error; `answer` is its shape."""

    def __init__(self, error: Words, detail: dict[str, Any] | None = None) -> None:
        super().__init__(error.zh)
        self.answer = {"error": error.say(), "status_code": BAD_REQUEST, "detail": detail or {}}


def of_service(error: StoreError, network_id: str) -> dict[str, Any]:
    """Return the answer to a failure of the service: 401, 403 and 404 are passed on, anything else is 502."""
    if isinstance(error, KnowledgeRefused):
        detail = {"network_id": network_id, "error_code": error.code}
        return {"error": REFUSALS[error.status].say(id=network_id), "status_code": error.status, "detail": detail}
    detail = {"network_id": network_id, "cause": type(error).__name__}
    return {"error": UNAVAILABLE.say(), "status_code": BAD_GATEWAY, "detail": detail}
