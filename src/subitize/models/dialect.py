"""How a server wants to be asked, as far as it says so: learned from its refusals, and kept.

The bytes that servers refuse with, by what they refuse:
max_tokens: https://github.com/ITSpecialist111/ai_automation_suggester/issues/38
temperature: https://github.com/owndev/Open-WebUI-Functions/issues/98 and, without a number,
https://github.com/appatalks/eva-agent/issues/83
the system role: https://github.com/agno-agi/agno/issues/1621, without a list of roles
https://github.com/vllm-project/vllm/pull/2964 (vLLM, Gemma) and
https://github.com/abetlen/llama-cpp-python/issues/1580, by the order of roles
https://github.com/vllm-project/vllm/issues/2080 (vLLM, Mistral) and
https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/2219
the developer role: https://github.com/langchain-ai/langchain/issues/28895,
https://github.com/haru/redmine_ai_helper/issues/242 (DashScope),
https://github.com/num-scope/pix/issues/34 (DeepSeek) and, with status 500,
https://github.com/0xku/kon/issues/5 (llama.cpp)
anything but a stream: https://github.com/FoundationAgents/OpenManus/issues/330
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

REFUSING = (400, 415, 422, 500)
NOT_SUPPORTED = r"(not support|unsupported|only the default|only 1 is allowed|deprecated|not allow)"
TEMPERATURE = re.compile(
    rf"\btemperature\b.{{0,80}}{NOT_SUPPORTED}|{NOT_SUPPORTED}.{{0,40}}\btemperature\b"
)
ONE = r"[`'\"]?(system|developer)\b[`'\"]?"
ROLE = re.compile(
    rf"role.{{0,40}}(?:not support|unsupported|invalid).{{0,20}}\b{ONE}|\b{ONE} roles? (?:is )?not "
    rf"support|\b{ONE} is not one of .{{0,90}}\brole|\brole.{{0,20}} unknown variant {ONE}"
)
"""how servers say which role they don't take"""
TURNS = re.compile(r"roles must alternate|only user(,| and) assistant( and tool)? roles")
UNEXPECTED = re.compile(r"unexpected message role")
"""how a chat template says that it knows no role but the user's, or not this one"""
STREAM = re.compile(
    r"only supports? stream|stream(ing)?\b.{0,40}(is required|must be (true|enabled|set))"
)


@dataclass
class Dialect:
    """What is put otherwise than usual in every request to a server."""

    limit_field: str = "max_tokens"
    role: str = "system"
    stream: bool = False
    refused: set[str] = field(default_factory=set)
    """roles in which a system message was refused"""
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
        elif "system" in sent and self._role_refused(lower):
            said = self._other_role(lower)
        elif STREAM.search(lower) and not self.stream:
            self.stream = True
            said = "replies are asked for as a stream"
        self.version += bool(said)
        return said

    def _role_refused(self, lower: str) -> bool:
        """Whether these words refuse the role of the system message as it is sent now."""
        if self.role == "user":
            return False
        found = ROLE.search(lower)
        if found:
            return found[found.lastindex or 0] == self.role
        return bool(TURNS.search(lower) or UNEXPECTED.search(lower))

    def _other_role(self, lower: str) -> str:
        self.refused |= {"system", "developer"} if TURNS.search(lower) else {self.role}
        left = [one for one in ("system", "developer") if one not in self.refused]
        self.role = left[0] if left else "user"
        if left:
            return f"the system message is sent in the role {self.role}"
        return "the system message is sent at the head of the question"
