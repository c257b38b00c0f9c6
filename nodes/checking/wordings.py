"""How sentences look that state no fact of the material: refusals, conclusions, questions, orders, addresses, code."""

import re

_MATERIAL_ZH = (
    r"(?:资料|材料|原文|文中|书中|书里|文本|文档|证据|片段|检索|记载|故事|小说|现有|以上|目前|上文|段落|记忆|知识网络)"
)
_NO_WORD = (
    r"(?:没有|并未|未能|未曾|尚未|并没有|没|未|无法|不能|难以).{0,8}"
    r"(?:提到|提及|说明|交代|交待|记载|找到|查到|涉及|介绍|描述|确定|得知|判断|检索到|明说|明确|信息|相关"
    r"|[说写讲](?=.{0,14}(?:是否|谁|什么|哪|为何|怎|如何|多少|几)))"
)
_MATERIAL = (
    r"(?:sources?|passages?|texts?|material|evidence|documents?|story|book|excerpts?|results?|information"
    r"|memor(?:y|ies))"
)
_NOT = r"(?:nor|do(?:es)? not|don't|doesn't|did not|didn't|never|nowhere|cannot|can't)"
_SAY = (
    r"(?:say|mention|state|tell|describe|explain|give|contain|specify|provide|include|reveal|cover|answer|indicate"
    r"|name)"
)
REFUSES = re.compile(
    rf"{_MATERIAL_ZH}[中里内]?(?:[也都并]|根本)?(?:没有?|未曾?)[写说讲](?![错谎])|{_MATERIAL_ZH}.{{0,20}}{_NO_WORD}|{_NO_WORD}.{{0,20}}{_MATERIAL_ZH}|^(?:很)?(?:抱歉|对不起|遗憾)|信息不足|资料不足|(?:无从|无法)(?:得知|确定|判断|回答)"
    r"|不得而知"
    rf"|\b{_MATERIAL}\b.{{0,40}}\b{_NOT}\b.{{0,16}}\b{_SAY}"
    rf"|\b{_MATERIAL} (?:say|mention|give|contain|tell|reveal)s? (?:nothing|no)\b"
    rf"|\b(?:no|not enough|insufficient|nothing)\b.{{0,30}}\b(?:{_MATERIAL}|mention(?:ed)?|details?)\b"
    r"|\b(?:could not|couldn't|cannot|can't|unable to|not able to)\b.{0,12}"
    r"\b(?:find|found|determine|tell|say|answer|locate|confirm)\b"
    r"|^(?:sorry|i'm sorry|i am sorry|unfortunately)\b",
    re.IGNORECASE,
)
"""A sentence that says that the material does not say something."""
DENIES = re.compile(
    rf"{_NO_WORD}|\b{_NOT}\b.{{0,16}}\b{_SAY}|^\s*[也亦更且还][^，。]*[不没未无][^，。]*(?:是否|谁|什么|哪|为何|怎|如何|多少|几)"
    r"|^\s*(?:and|nor|or)\b.*\b(?:not?|nor|never|nothing)\b.*\b(?:wh(?:o|om|ose|at|ere|en|y|ether|ich)|how)\b",
    re.IGNORECASE,
)
"""A clause of such a sentence that says it."""
LACKS = re.compile(
    r"(?:没有?|并无|不存在|未曾?|不)(?:出现|登场|存在|见到|写到|收录|有|叫|名叫|这么?|这样|任何|一?[个位])"
    r"|[中里内](?:都|并|也|根本)?(?:没有|并无|无(?!法))|(?:不是|并非)[^，。]{0,12}(?:人物|角色)"
    r"|\bthere (?:is|was|are|were) no\b|\bno (?:such )?(?:character|person|one|mention)\b"
    r"|\b(?:is|was) not (?:in|a character|part)\b"
    rf"|\b{_NOT}\b.{{0,8}}\b(?:appear|occur|exist|feature|have)",
    re.IGNORECASE,
)
"""A clause that says that the material does not have somebody or something."""
CLAUSE_BREAKS = re.compile(
    r"[，,；;。—]+\s*|\s*(?:但是|但|不过|然而|其实)|\b(?:but|however|although|though|while|yet|actually)\b",
    re.IGNORECASE,
)
"""Where a clause ends."""
HEADINGS = re.compile(
    r"(?:主要|重要|关键|核心|其他|相关|具体|详细|最终|最后|小结|总结|概述|概要|简介|介绍|说明|分析|结论|结局|背景|经过|过程|经历|生平|身世|身份|性格"
    r"|形象|特点|关系|联系|人物|角色|事件|情节|故事|线索|物品|地点|时间|顺序|原因|起因|结果|影响|意义|作用|变化|发展|部分|阶段|方面|情况|内容|列表|清单"
    r"|依据|证据|出处|来源|答案|回答|问题|之间|[之的与和及、：:])"
    r"|\b(?:main|key|major|other|related|final|brief|summary|overview|introduction|conclusion|background|analysis|details?"
    r"|characters?|people|persons?|roles?|identity|personality|relations?|relationships?|events?|plot|story|timeline"
    r"|places?|locations?|items?|objects?|causes?|reasons?|results?|effects?|outcomes?|ending|beginning|stages?|parts?"
    r"|evidence|sources?|answers?|questions?|notes?|between|and|of|the|in|to|with|about|how|why|who|what|when|where)\b",
    re.IGNORECASE,
)
"""Words that headings are made of: they state nothing by themselves."""
REFUSAL_FILLERS = re.compile(
    rf"{_MATERIAL_ZH}|根据|依据|按照|基于|关于|提供|您|你|问题|答案|回答|所以|因此|\b{_MATERIAL}\b"
    r"|\b(?:based|according|provided|given|available|question|answer|here|found|context|retrieved|current)\b",
    re.IGNORECASE,
)
"""Words of a refusal that state nothing."""

FRAMES = re.compile(
    r"请问|[您你](?:们|的)?|是(?:不是|否)|(?:刚才)?(?:是?想|想要)|了解|知道|[问指说]的?(?:是|意思)|是?指的?|什么|哪[一两二三几]?[个位本部段件章里些]?(?:人(?!物))?|谁|怎么?样?|还是"
    r"|(?:更)?具体|方面|内容|一下|能否|可以|可否|能不能|告诉我?|补充|说明|提供|说得|[这那][个位本部段件章里些]|书|故事|人物|角色|事件|关系|问题|[吗呢吧]"
    r"|\b(?:do|did|could|would|can|you|mean|want|know|like|tell|please|which|what|who|about|asking|ask|more|one|two|book|story|character|specify)\b",
    re.IGNORECASE,
)
"""Words with which a question back asks, which state nothing."""

YES_OR_NO = re.compile(
    r"\W*(?:是的?|不是的?|对的?|不对|没有|没错|并没有|并非如此|有的?|会的?|不会|能的?|不能|可以|不可以|不"
    r"|yes|no|not really|indeed|correct)\W*",
    re.IGNORECASE,
)
"""What answers a question without a word of the material."""

CONCLUDES = re.compile(
    r"^(?:[-*•]\s*)?(?:可见|由此|因此|所以|总之|总的来说|总体|综上|看来|这说明|这表明|说明|换句话说|也就是说|简而言之|简单来说|显然|大概|也许|可能|或许"
    r"|in short|overall|thus|therefore|hence|so\b|in summary|to sum up|this (?:suggests|shows|implies|means)|it seems"
    r"|it appears|apparently|presumably|perhaps|in other words|altogether)",
    re.IGNORECASE,
)
"""A sentence that draws a conclusion, which no piece of the material need state."""

REFERRING_WORDS = re.compile(
    r"[他她它其此这那]|\b(?:he|she|it|they|him|her|them|his|hers|its|their|this|that|these|those)\b", re.IGNORECASE
)
"""A word that points at something said before."""

ASKS = re.compile(r"[？?]\s*[）)]?$")
"""A question of the draft's own; one that somebody is quoted with ends with a quotation mark."""
TO_USER = re.compile(r"您|你|请问|哪一?[个位本部段件]|\b(?:you|your|which|please)\b", re.IGNORECASE)
"""A question for the user to answer."""
ASSERTS = re.compile(
    r"难道|岂|不正是|不就是|不是(?!.*还是).*吗|[，,]\s*(?:不是|对吧|是吧|对不对)"
    r"|\b(?:isn't|wasn't|aren't|weren't|didn't|doesn't|don't|hasn't|couldn't|who else)\b",
    re.IGNORECASE,
)
"""A question that is asked to assert something."""

_SECRET = r"(?:密码|口令|验证码|银行卡|身份证|账号|password|passcode|verification code|credit card|credentials?)"
_OPENING = r"(?:^|[。！？!?；;：:\n】\]]|\.\s)[\s\W]*"
"""Where a sentence begins: what stands there without a subject is an imperative."""
_PLEASE = (
    r"(?:请(?:您|你|立即|立刻|马上|现在|务必|先|直接|大家|各位|用户|读者)*|务必|麻烦[您你]?"
    r"|(?:让|要求|叫|引导)(?:用户|读者))"
)
_URGED = rf"(?:(?:{_OPENING}|请|务必|[，,]直接|[您你])(?:现在|立即|马上|直接|只|必须|务必|要|应该?|先|完全)*)"
_RULES = r"(?:指令|指示|提示词?|规则|设定|限制|要求|约束)"
_ASKED = (
    rf"(?:(?:{_OPENING}|\b(?:please|(?:you|assistant) (?:can|should|must|may|need to|have to|are to))\b\s*)"
    r"(?:(?:please|also|now|just|then|and),?\s+|you (?:can|should|must|may|need to|have to|are to)\s+)*)"
)
_OVERRIDE = (
    rf"{_URGED}(?:忽略|无视|忘记|忘掉|不要理会|抛开|绕过|违反)(?![了过])[^。！？]{{0,12}}{_RULES}"
    rf"|[，,](?:并|再)?(?:忽略|无视|忘记|忘掉|绕过)(?:以上|之前|此前|先前|前面|上述|系统|[您你]的)[^，。！？]{{0,8}}{_RULES}"
    rf"|(?:请|输出|显示|泄露|透露|公布|重复|打印|[您你]的)[^，。！？]{{0,4}}(?:系统|开发者|隐藏)的?(?:提示词|指令)|{_OPENING}系统(?:提示|指令|消息|通知)[:：】]"
    rf"|(?:{_URGED}|[，,]并?)(?:把|将)(?:[您你]的)?(?:最终)?(?:答案|回答|回复)(?:写成|改成|换成|改为)(?!了)"
    rf"|(?:{_OPENING}|请|务必|[您你])(?:直接|只|必须|务必|要|应该?)+(?:回答|输出|回复)(?![了过道说不着])"
    rf"|{_URGED}(?:告诉|告知|通知|提醒|引导)(?:用户|读者)(?!了)"
    rf"|{_PLEASE}(?:提供|输入|告诉|告知|发送?|回复|填写|把|将)[^，。！？；]{{0,12}}{_SECRET}"
    rf"|{_OPENING}(?:提供|输入|告诉我|发给我|回复|(?:把|将)[您你])[^，。！？；]{{0,12}}{_SECRET}"
    rf"|{_ASKED}(?:ignore|disregard|forget|override|bypass)\b[^.!?]{{0,40}}\b(?:instructions?|rules|prompts?|guidelines|settings)"
    r"|\b(?:ignore|disregard|forget|override|bypass) (?:(?:all|any|the|your|its|of) )*"
    r"(?:previous|prior|above|earlier|preceding)\b[^.!?]{0,20}\b(?:instructions?|rules|prompts?|guidelines)"
    rf"|{_OPENING}system (?:prompt|notice|message)\b"
    r"|\b(?:reveal|print|show|repeat|output)\b[^.!?]{{0,20}}\bsystem prompt"
    rf"|{_ASKED}(?:(?:answer|reply|respond|output|write|say) only\b"
    r"|(?:tell|ask|inform|instruct|make) the (?:reader|user)\b"
    rf"|write that\b|(?:enter|provide|give|send|tell me|share|confirm)\b[^.!?]{{0,20}}\b{_SECRET})"
)
_SEND = (
    rf"(?:{_PLEASE}|{_OPENING}(?:立即|马上|现在就?)|[您你](?:可以|应该?|必须|需要|要)(?:立即|马上)?)"
    r"(?:(?:到|在|用|从|通过|前往|去)[^，。！？；]{1,8})?"
    r"(?:访问|点击|下载|扫码|扫描|登录|转账|汇款|付款|拨打|加我|加微信|加群|(?:添加|关注)(?:微信|好友|客服|公众号|我们)"
    r"|打开(?:链接|网址|网页|网站|浏览器))"
    rf"|{_ASKED}(?:(?:click|download|log ?in|sign (?:up|in)|subscribe|scan)\b"
    r"|(?:visit|open|call|send|transfer|pay|e-?mail|write to|go to|enter)\b[^.!?]{0,30}"
    r"(?:https?:|www\.|\w@\w|\d{5}|\b(?:web ?sites?|web ?pages?|links?|url|app|qr code|account|newsletter)\b))"
)
OVERRIDES = re.compile(_OVERRIDE, re.IGNORECASE)
"""An order to the writer of an answer, or to its reader to give a secret away: no story is quoted with it as a fact."""
ORDERS = re.compile(f"{_OVERRIDE}|{_SEND}", re.IGNORECASE)
"""An order to the writer or the reader of an answer: an imperative, or one that says you."""

REPORTS = re.compile(
    r"[“「『\"].+[”」』\"]|写道|说道|喊道|问道|声称|告示|命令|吩咐|要求他|\b(?:says?|said|cried|wrote|writes|orders?|ordered|claims?|claimed|reads)\b"
)
"""A sentence that reports what somebody said or wrote."""

_HOST = r"[\w-]+(?:\.[\w-]+)*"
_PATH = r"[^\s)>」』”，。；]"
_SUFFIXES = (
    "com|net|org|edu|gov|mil|int|info|biz|io|ai|app|dev|xyz|top|shop|store|online|site|club|vip|live|link|click|icu|buzz|fun"
    "|work|pro|mobi|name|tv|cc|me|co|ly|gl|gg|so|to|us|uk|de|fr|jp|kr|hk|tw|mo|sg|ru|eu|cn|tech|cloud|space|world|page|blog"
    "|news|chat|zone|网址|公司|网络|中国|在线|商城|网店|中文网|香港|台湾|集团|移动"
)
_COUNTED = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_DIGIT = rf"(?:zero|oh|nought|{'|'.join(_COUNTED)})"
_COUNTS = "|".join(r"\W+".join(_COUNTED[at : at + 3]) for at in range(7))
_COUNTS_ZH = "|".join(r"[\s、，]*".join("一二三四五六七八九"[at : at + 3]) for at in range(7))
"""How somebody counts, which is no number to call."""
_TELEPHONE = (
    rf"(?<![零〇○一二三四五六七八九幺十百千万])(?!{_COUNTS_ZH})(?:[零〇○一二三四五六七八九幺][\s、·-]?){{6,}}"
    r"[零〇○一二三四五六七八九幺]"
    rf"|\b(?!{_COUNTS})(?:(?:double|triple)\W+)?{_DIGIT}(?:[\s,-]+(?:(?:double|triple)\W+)?{_DIGIT}){{5,}}\b"
    r"|(?:(?<=电话)|(?<=手机)|(?<=热线)|(?<=拨打)|(?<=致电)|(?<=\bcall)|(?<=\bdial)|(?<=\bphone)|(?<=\btel))"
    r"[^\d\n]{0,8}\+?\d[\d -]{5,}\d|\+\d[\d -]{6,}\d"
)
_SPOKEN = (
    r"(?<![a-z0-9])[a-z0-9-]+\s*[(\[（]?\s*(?:\bdot\b|点)\s*[)\]）]?\s*"
    r"(?:com|net|org|cn|io|info|top|xyz|shop|site|app)\b"
)
ADDRESS = re.compile(
    rf"!?\[[^\]\n]*\]\(\s*(?:[a-z]+:|/|www\.|{_HOST}\.[a-z]{{2,}})[^)\n]*\)"
    rf"|<?\b(?:[a-z][a-z0-9+.-]*://|(?:javascript|data|tel|mailto):){_PATH}+>?"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    rf"|\bwww\.{_HOST}(?:[:/]{_PATH}*)?"
    r"|(?<![\w.@-])\d{1,3}(?:\.\d{1,3}){3}(?=[:/])" + rf"{_PATH}+"
    rf"|(?<![a-z0-9.@_-])[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)*\.[a-z]{{2,}}/{_PATH}*"
    rf"|(?<![a-z0-9.@_-])(?:[a-z0-9-]+|[\u3400-\u9fff]+)(?:\.[a-z0-9-]+)*\.(?:{_SUFFIXES})(?![\w-])(?:[:/]{_PATH}*)?"
    rf"|(?:微信|QQ|电报群?|Telegram|WhatsApp)(?:号|群)?[:：]?\s*[a-z0-9_-]{{5,}}|{_TELEPHONE}|{_SPOKEN}",
    re.IGNORECASE,
)
"""Where a reader could be sent: addresses and telephone numbers, also in words."""
ASKS_ADDRESS = re.compile(
    r"网址|网站|链接|官网|域名|邮箱|联系方式|(?:网络|网页|下载|邮件|电子)地址|(?:微信|QQ)(?:号|群)?(?:是|多少)|电话(?:号码|是|多少)"
    r"|\b(?:urls?|links?|(?:web|home) ?(?:site|page)s?|(?:e-?mail|web) address(?:es)?|e-?mails?|domains?|phone numbers?"
    r"|contact (?:details|information))\b",
    re.IGNORECASE,
)
SENDS = re.compile(
    r"登[录陆]|点击|访问|打开|下载|扫码|注册|关注|跳转|领取|加群|加我|添加|转账|汇款|充值|认证|验证"
    r"|\b(?:visit|click|log ?in|sign (?:in|up)|register|download|scan|open|go to|follow|subscribe|verify|claim|send)\b",
    re.IGNORECASE,
)
"""A sentence that sends its reader somewhere; an address that stands in such sentences alone is no answer."""

FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
MARKUP = re.compile(
    r"<(script|style|iframe|svg|object|embed|template|think|thinking|thought)\b.*?(?:</\1\s*>|\Z)"
    r"|</?[a-z][a-z0-9-]*(?:[\s/][^<>]*)?>|<[a-z][a-z0-9-]*[\s/][^<>\n]*=[^<>\n]*|<!--.*?(?:-->|\Z)",
    re.DOTALL | re.IGNORECASE,
)
ASKS_CODE = re.compile(
    r"代码|脚本|命令行|(?:什么|哪条|哪个|运行|执行)命令(?:安装|启动|运行)|SQL语句|配置文件|html|sql|json|正则"
    r"|\b(?:code|scripts?|commands?|snippets?|config\w*)\b",
    re.IGNORECASE,
)
