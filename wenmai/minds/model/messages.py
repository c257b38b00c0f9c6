"""Messages on a service's failures: one line with the cause and the variable that mends it."""

from dataclasses import dataclass

from tools.wording import Words


@dataclass(frozen=True, slots=True)
class Service:
    """What messages call a service, and the variables of its key and its address.

    `lacks_version`: the address that is set ends in no version, which most services want.
    """

    name: str
    key: str
    address: str
    lacks_version: bool = False


PAUSED = Words(
    "模型服务连续 {failures} 次没有响应，暂停调用，约 {seconds} 秒后再试。",
    "The model service did not respond {failures} times in a row: calls pause, try again in about {seconds} seconds.",
)
SILENT = Words(
    "{service}（{model}）没有在限定时间内回答{code}：慢的服务请调大 MODEL_TIMEOUT_S。",
    "{service} ({model}) did not answer in time{code}: raise MODEL_TIMEOUT_S for a slow one.",
)
CODE = Words("（{code}）", " ({code})")
UNREACHABLE = Words(
    "连不上 {service}（{error}）：请检查网络和 {address}。",
    "{service} cannot be reached ({error}): check the network and {address}.",
)
CUT_OFF = Words(
    "{service} 的回答在传输中断开，不是完整的 JSON。",
    "The reply of {service} broke off on its way: it is no complete JSON.",
)
BUSY = Words(
    "{service} 的配额用完或请求太密（429）：{said}",
    "The quota of {service} is spent, or requests come too fast (429): {said}",
)
BROKEN = Words("{service} 服务出错（{code}）：{said}", "The service {service} failed ({code}): {said}")
BAD_KEY = Words(
    "{service} 不接受密钥（{code}）：请检查 {key}。{said}",
    "{service} does not accept the key ({code}): check {key}. {said}",
)
NO_MODEL = Words(
    "{service} 没有模型 {model}（404）：请检查 {variable} 和 {address}。",
    "{service} has no model {model} (404): check {variable} and {address}.",
)
NO_PATH = Words(
    "（{address} 的路径不是以 /v1 结尾：可能缺少 /v1。）",
    " (The path of {address} does not end in /v1: /v1 may be missing.)",
)
NOT_HERE = Words(
    "{service} 不在这个地区或账户提供服务（{code}）：可用 {address} 指定网关。{said}",
    "{service} does not serve this region or account ({code}): {address} can name a gateway. {said}",
)
BAD_THINKING = Words(
    "模型 {model} 不接受这样的思考设置（{code}）：请检查 {setting} 与 {variable}。{said}",
    "The model {model} does not take this thinking level ({code}): check {setting} and {variable}. {said}",
)
REFUSED = Words(
    "{service} 拒绝了请求（{code}，模型 {model}）：{said}",
    "{service} refused the request ({code}, model {model}): {said}",
)
UNUSABLE = Words(
    "模型 {model}（{variable}）没有给出可用的回答{reason}：{why}",
    "The model {model} ({variable}) gave no usable answer{reason}: {why}",
)
REASON = Words("，原因 {finish}", ", reason {finish}")
EMPTY = Words("回答是空的", "the answer is empty")
NO_CLAIMS = Words("没有核对任何论断", "no claim was judged")
AGAINST_SCHEMA = Words("不合格式 {where} {said}", "against the schema: {where} {said}")
BAD_VECTORS = Words(
    "嵌入模型 {model} 给出 {found} 个向量（{length} 维），应为 {wanted} 个 {dimension} 维："
    "请检查 EMBEDDING_DIMENSION 与 {variable}",
    "The embedding model {model} gave {found} vectors ({length} dimensions) instead of {wanted} ({dimension}): "
    "check EMBEDDING_DIMENSION and {variable}",
)
