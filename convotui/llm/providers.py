"""Who runs which models, and which variables hold the keys to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from convotui.llm.catalog import facts_of


@dataclass(frozen=True, slots=True)
class Provider:
    """Somebody who runs models."""

    variables: tuple[str, ...]
    """Where the key may be; one of them is enough."""
    default_model: str | None = None
    """A good general model, for somebody who has named none."""
    needs: tuple[str, ...] = ()
    """What else must be set in the environment."""


PROVIDERS: Mapping[str, Provider] = {
    "anthropic": Provider(
        ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"), "claude-sonnet-5"
    ),
    "openai": Provider(("OPENAI_API_KEY",), "gpt-5.6"),
    "gemini": Provider(
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"), "gemini/gemini-flash-latest"
    ),
    "mistral": Provider(("MISTRAL_API_KEY",), "mistral/mistral-medium-latest"),
    "deepseek": Provider(("DEEPSEEK_API_KEY",), "deepseek/deepseek-v4-pro"),
    "xai": Provider(("XAI_API_KEY",), "xai/grok-4.6"),
    "groq": Provider(("GROQ_API_KEY",), "groq/openai/gpt-oss-120b"),
    "cerebras": Provider(("CEREBRAS_API_KEY",), "cerebras/gpt-oss-120b"),
    "moonshot": Provider(("MOONSHOT_API_KEY",), "moonshot/kimi-k3"),
    "together_ai": Provider(
        (
            "TOGETHER_API_KEY",
            "TOGETHER_AI_API_KEY",
            "TOGETHERAI_API_KEY",
            "TOGETHER_AI_TOKEN",
        ),
        "together_ai/openai/gpt-oss-120b",
    ),
    "fireworks_ai": Provider(
        (
            "FIREWORKS_API_KEY",
            "FIREWORKS_AI_API_KEY",
            "FIREWORKSAI_API_KEY",
            "FIREWORKS_AI_TOKEN",
        ),
        "fireworks_ai/accounts/fireworks/models/gpt-oss-120b",
    ),
    "perplexity": Provider(
        ("PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY"), "perplexity/sonar-pro"
    ),
    "cohere_chat": Provider(("COHERE_API_KEY", "CO_API_KEY"), "command-a-03-2025"),
    "openrouter": Provider(("OPENROUTER_API_KEY", "OR_API_KEY")),
    "deepinfra": Provider(("DEEPINFRA_API_KEY",)),
    "azure": Provider(
        ("AZURE_API_KEY", "AZURE_OPENAI_API_KEY"), needs=("AZURE_API_BASE",)
    ),
}
"""The well-known providers, the first choice of a default first."""

_ALIASES = {"cohere": "cohere_chat"}


def provider_of(model: str) -> str:
    """Return who runs a model, or an empty string if the name does not tell."""
    facts = facts_of(model)
    if facts is not None and facts.provider in PROVIDERS:
        return facts.provider
    prefix, slash, _ = model.partition("/")
    return _ALIASES.get(prefix, prefix) if slash else ""


def has_key(provider: Provider, environment: Mapping[str, str]) -> str | None:
    """Return the variable with the provider's key, if all that it needs is set."""
    if not all(environment.get(name, "").strip() for name in provider.needs):
        return None
    found = (name for name in provider.variables if environment.get(name, "").strip())
    return next(found, None)
