"""Why a reply ended: the words of servers, and the few that we use.

OpenAI: stop, length, content_filter, tool_calls, function_call
(https://platform.openai.com/docs/api-reference/chat/object). Gemini's own, which its compatible
endpoint and proxies let through: STOP, MAX_TOKENS, SAFETY, RECITATION, …
(https://ai.google.dev/api/generate-content#FinishReason). Anthropic: end_turn, max_tokens,
stop_sequence, refusal, model_context_window_exceeded. Mistral: model_length. Together: eos.
OpenRouter: error (https://openrouter.ai/docs/api-reference/overview#finish-reason).
"""

from __future__ import annotations

WHOLE = {
    "stop", "end_turn", "stop_sequence", "eos", "eos_token", "complete", "completed", "end",
    "finish", "finished", "finish_reason_stop", "done",
}  # fmt: skip
CUT = {
    "length", "max_tokens", "model_length", "max_output_tokens", "max_completion_tokens",
    "max_new_tokens", "token_limit", "finish_reason_max_tokens", "model_context_window_exceeded",
    "max_length", "incomplete",
}  # fmt: skip
REFUSED = {
    "content_filter", "content-filter", "contentfilter", "safety", "recitation", "blocklist",
    "prohibited_content", "spii", "image_safety", "image_prohibited_content", "image_recitation",
    "model_armor", "refusal", "refused", "language", "sensitive", "guardrail_intervened",
    "finish_reason_safety", "finish_reason_recitation", "moderation_blocked",
}  # fmt: skip
BROKEN = {"error", "finish_reason_error", "server_error"}
"""the reply is none: it is asked for again"""
OTHER = "other"
"""how we call an ending whose word we do not know; the word itself stays in the facts"""


def our_word(said: str) -> str:
    """stop, length, refused, error or other; no word at all is a plain end.

    >>> [our_word(word) for word in ("", "MAX_TOKENS", "content_filter: SAFETY", "failed")]
    ['stop', 'length', 'refused', 'other']
    """
    word = said.strip().lower()
    head = word.partition(":")[0].strip()
    for ours, theirs in (
        ("stop", WHOLE), ("length", CUT), ("refused", REFUSED), ("error", BROKEN)
    ):  # fmt: skip
        if word in theirs or head in theirs:
            return ours
    return OTHER if word else "stop"
