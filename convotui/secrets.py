"""Keys and passwords that somebody may have pasted without meaning to."""

from __future__ import annotations

import re

_KINDS = {
    "a private key": r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----",
    "a key of Anthropic": r"\bsk-ant-[\w-]{16,}",
    "a key of OpenRouter": r"\bsk-or-v1-[0-9a-f]{16,}",
    "a key of OpenAI": r"\bsk-(?=[\w-]{0,80}\d)[\w-]{20,}",
    "a key of Google": r"\bAIza[\w-]{35}(?![\w-])",
    "a key of Groq": r"\bgsk_[A-Za-z0-9]{20,}",
    "a key of xAI": r"\bxai-[A-Za-z0-9]{20,}",
    "a key of Perplexity": r"\bpplx-[A-Za-z0-9]{20,}",
    "a token of Hugging Face": r"\bhf_[A-Za-z0-9]{20,}",
    "a token of Replicate": r"\br8_[A-Za-z0-9]{20,}",
    "a key of AWS": r"\b(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])",
    "a token of GitHub": r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,})",
    "a token of GitLab": r"\bglpat-[\w-]{20,}",
    "a token of PyPI": r"\bpypi-[\w-]{40,}",
    "a token of npm": r"\bnpm_[A-Za-z0-9]{30,}",
    "a token of Slack": r"\bxox[abeoprs]-[\w-]{10,}",
    "a key of Stripe": r"\b[rs]k_live_[A-Za-z0-9]{16,}",
    "a token that signs somebody in": r"\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}",
    "a password in an address": r"\b[a-z][a-z+.-]{1,20}://[^\s/:@]{1,64}:[^\s/:@]{3,128}@",
    "a key in a setting": (
        r"(?i:\b(?:[a-z0-9]{1,30}_){0,4}(?:api_?key|secret(?:_?key)?|access_?token|"
        r"auth_?token|password)[\"']?\s{0,3}[:=]\s{0,3}[\"']?)"
        r"(?=[^\s\"']{0,120}\d)(?=[^\s\"']{0,120}[A-Za-z])[\w+/=.~-]{16,}"
    ),
}
_ANY = re.compile(
    "|".join(f"(?P<kind{i}>{shape})" for i, shape in enumerate(_KINDS.values()))
)
_NAMES = list(_KINDS)


def find_secret(text: str) -> str | None:
    """Return what kind of secret a text seems to hold, or `None`."""
    found = _ANY.search(text)
    if found is None or found.lastgroup is None:
        return None
    return _NAMES[int(found.lastgroup.removeprefix("kind"))]
