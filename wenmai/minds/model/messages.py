"""Messages on the service's failures: one line with the cause and the variable that mends it."""

from tools.wording import Words

PAUSED = Words(
    "Gemini 连续 {failures} 次没有响应，暂停调用，约 {seconds} 秒后再试。",
    "Gemini did not respond {failures} times in a row: calls pause, try again in about {seconds} seconds.",
)
SILENT = Words("Gemini（{model}）没有在限定时间内回答{code}。", "Gemini ({model}) did not answer in time{code}.")
CODE = Words("（{code}）", " ({code})")
UNREACHABLE = Words(
    "连不上 Gemini（{error}）：请检查网络和 GEMINI_BASE_URL。",
    "Gemini cannot be reached ({error}): check the network and GEMINI_BASE_URL.",
)
CUT_OFF = Words(
    "Gemini 的回答在传输中断开，不是完整的 JSON。", "Gemini's reply broke off on its way: it is no complete JSON."
)
BUSY = Words(
    "Gemini 的配额用完或请求太密（429）：{said}", "Gemini's quota is spent, or requests come too fast (429): {said}"
)
BROKEN = Words("Gemini 服务出错（{code}）：{said}", "Gemini's service failed ({code}): {said}")
BAD_KEY = Words(
    "Gemini 不接受密钥（{code}）：请检查 GOOGLE_API_KEY（或 GEMINI_API_KEY）。{said}",
    "Gemini does not accept the key ({code}): check GOOGLE_API_KEY (or GEMINI_API_KEY). {said}",
)
NO_MODEL = Words(
    "Gemini 没有模型 {model}（404）：请检查 {variable}。", "Gemini has no model {model} (404): check {variable}."
)
NOT_HERE = Words(
    "Gemini 不在这个地区或账户提供服务（{code}）：可用 GEMINI_BASE_URL 指定网关。{said}",
    "Gemini does not serve this region or account ({code}): GEMINI_BASE_URL can name a gateway. {said}",
)
BAD_THINKING = Words(
    "模型 {model} 不接受这样的思考设置（{code}）：请检查 {setting} 与 {variable}。{said}",
    "The model {model} does not take this thinking level ({code}): check {setting} and {variable}. {said}",
)
REFUSED = Words(
    "Gemini 拒绝了请求（{code}，模型 {model}）：{said}", "Gemini refused the request ({code}, model {model}): {said}"
)
UNUSABLE = Words(
    "模型 {model}（{variable}）没有给出可用的回答{reason}：{why}",
    "The model {model} ({variable}) gave no usable answer{reason}: {why}",
)
REASON = Words("，原因 {finish}", ", reason {finish}")
EMPTY = Words("回答是空的", "the answer is empty")
AGAINST_SCHEMA = Words("不合格式 {where} {said}", "against the schema: {where} {said}")
BAD_VECTORS = Words(
    "嵌入模型 {model} 给出 {found} 个向量（{length} 维），应为 {wanted} 个 {dimension} 维："
    "请检查 EMBEDDING_DIMENSION 与 {variable}",
    "The embedding model {model} gave {found} vectors ({length} dimensions) instead of {wanted} ({dimension}): "
    "check EMBEDDING_DIMENSION and {variable}",
)
