"""What a message tells instead of asking (LOP-23): statements, requests to forget, and what only looks like them."""

import pytest

from nodes.telling import told_in

STATEMENTS = [
    "我昨天把自行车卖了。",
    "昨天我把吉他卖了",
    "记住：我对花生过敏。",
    "请记住我住在扬州",
    "我養了一隻貓。",
    "从今以后用英文回答",
    "我的钥匙丢了",
    "I sold my bike yesterday.",
    "Yesterday I sold my bike.",
    "I don't like cocoa anymore, I drink mint tea now.",
    "My brother Anselm works at a bakery.",
    "Remember that I am allergic to nuts",
    "From now on, answer in English.",
]
REQUESTS = [
    "忘掉我说过的自行车。",
    "请忘掉我过敏的事。",
    "能不能忘掉我过敏的事？",
    "把我说的自行车忘掉",
    "Please forget my phone number.",
    "forget what I said about the bike",
    "Can you forget that I live in Cardiff?",
]
QUESTIONS = [
    "我想知道刘备的结局",
    "我不明白他为什么走",
    "我问的是孙策",
    "我忘了他叫什么",
    "我再问一遍",
    "我国的首都",
    "我住在哪里",
    "告诉我第三章的内容",
    "忘了他是谁",
    "把第三章总结一下",
    "赵铁柱的妻子",
    "我之前让你做的那个东西",
    "我之前的数据库配置",
    "我上次的订单号",
    "my database settings",
    "I want to know who Holmes is",
    "I'd like a summary of chapter 3",
    "I forgot the name of the grocer",
    "I see",
    "I mean the second one",
    "I have read to chapter 3. Who is Ida",
    "what did I say about the bike",
    "My favourite character, who is he",
    "Tell me about my book",
    "Did I forget my umbrella?",
]


@pytest.mark.parametrize("text", STATEMENTS)
def test_a_statement_of_the_user_is_told(text: str) -> None:
    assert told_in(text) == "statement"


@pytest.mark.parametrize("text", REQUESTS)
def test_a_request_to_forget_is_told(text: str) -> None:
    assert told_in(text) == "forget"


@pytest.mark.parametrize("text", QUESTIONS)
def test_what_asks_or_only_goes_on_is_not_told(text: str) -> None:
    assert told_in(text) is None
