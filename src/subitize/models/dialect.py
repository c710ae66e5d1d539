"""How a server wants to be asked, as far as it says so: learned from its refusals, and kept.

The bytes that servers refuse with, by what they refuse:
max_tokens: https://github.com/ITSpecialist111/ai_automation_suggester/issues/38
temperature: https://github.com/owndev/Open-WebUI-Functions/issues/98 and, without a number,
https://github.com/appatalks/eva-agent/issues/83
the system role: https://github.com/agno-agi/agno/issues/1621, and the developer role:
https://github.com/langchain-ai/langchain/issues/28895
anything but a stream: https://github.com/FoundationAgents/OpenManus/issues/330
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

REFUSING = (400, 415, 422)
NOT_SUPPORTED = r"(not support|unsupported|only the default|only 1 is allowed|deprecated|not allow)"
TEMPERATURE = re.compile(
    rf"\btemperature\b.{{0,80}}{NOT_SUPPORTED}|{NOT_SUPPORTED}.{{0,40}}\btemperature\b"
)
ROLE = re.compile(r"role.{0,40}(?:not support|unsupported|invalid).{0,20}\b(system|developer)\b")
STREAM = re.compile(
    r"only supports? stream|stream(ing)?\b.{0,40}(is required|must be (true|enabled|set))"
)


@dataclass
class Dialect:
    """What is put otherwise than usual in every request to a server."""

    limit_field: str = "max_tokens"
    role: str = "system"
    stream: bool = False
    dropped: set[str] = field(default_factory=set)
    """fields that are left out, though they are set"""
    version: int = 0
    """goes up with everything learned: a request of an older version may be sent again"""

    def learn(self, words: str, sent: Mapping[str, Any]) -> str:
        """What a refusal in these words teaches, said in one line; empty if nothing."""
        lower = words.lower()
        said = ""
        if (
            "max_completion_tokens" in lower
            and self.limit_field == "max_tokens"
            and "max_tokens" in sent
        ):
            self.limit_field = "max_completion_tokens"
            said = "the limit of tokens is sent as max_completion_tokens"
        elif "temperature" in sent and TEMPERATURE.search(lower):
            self.dropped.add("temperature")
            said = f"the temperature {sent['temperature']} is left out, as the server refuses it"
        elif (found := ROLE.search(lower)) and found[1] == self.role and "system" in sent:
            self.role = "developer" if self.role == "system" else "user"
            said = f"the system message is sent in the role {self.role}"
        elif STREAM.search(lower) and not self.stream:
            self.stream = True
            said = "replies are asked for as a stream"
        self.version += bool(said)
        return said
