"""What a model thought before it answered, taken apart from its answer."""

from __future__ import annotations

import re

OPENS = re.compile(r"<think(?:ing)?>|◁think▷|<\|channel>thought|<seed:think>|\[THINK\]")
CLOSES = re.compile(r"</think(?:ing)?>|◁/think▷|<channel\|>|</seed:think>|\[/THINK\]")


def split_thinking(prompt: str, reply: str) -> tuple[str, str]:
    """The thinking and the answer of a reply, by the marks that models set around their thinking.

    A chat template may open the thinking in the prompt; thinking without an end never ended.

    >>> split_thinking("How many?", "<think>3 and 4</think> 7")
    ('3 and 4', ' 7')
    >>> split_thinking("How many?", "[THINK]3 and 4[/THINK]7")
    ('3 and 4', '7')
    >>> split_thinking("How many?<think>", "3 and 4, so"), split_thinking("How many?", "7")
    (('3 and 4, so', ''), ('', '7'))
    """
    closed = [*CLOSES.finditer(reply)]
    opened = OPENS.search(reply)
    if closed:
        start = opened.end() if opened and opened.end() <= closed[-1].start() else 0
        before = reply[: opened.start()] if start and opened else ""
        return reply[start : closed[-1].start()], before + reply[closed[-1].end() :]
    if opened:
        return reply[opened.end() :], reply[: opened.start()]
    begun, ended = [*OPENS.finditer(prompt)], [*CLOSES.finditer(prompt)]
    if begun and not (ended and ended[-1].start() > begun[-1].start()):
        return reply, ""
    return "", reply
