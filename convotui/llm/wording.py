"""The words for what can go wrong, and nothing in them that is nobody's business."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from convotui.llm.catalog import near_names
from convotui.llm.client import Endpoint, ErrorKind
from convotui.llm.providers import PROVIDERS, provider_of
from convotui.text import visible_line

_LONGEST = 300
_LONGEST_QUOTE = 140

_SECRETS = re.compile(
    r"(?i:\bbearer\s+|\bapi[-_ ]?key[\"']?\s*[:=]\s*[\"']?|[?&]key=)[^\s,;&\"']+"
    r"|\b(?:sk|pk|rk|gsk|xai|pplx|hf)[-_][\w*.-]{4,}"
    r"|\bAIza[\w-]{8,}"
)
_WRAPPINGS = re.compile(r"^(?:litellm\.)?\w*(?:Error|Exception|Timeout)(?::| -)\s*")
_VARIABLES = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:KEY|TOKEN)\b")
_NO_MONEY = re.compile(r"quota|billing|credit|balance|insufficient", re.IGNORECASE)

_WHY_UNREACHABLE = {
    "gaierror": "there is no such host, or no network",
    "ConnectionRefusedError": "nothing listens there",
    "SSLError": "its certificate is not trusted",
    "ConnectTimeout": "it does not answer",
}


@dataclass(frozen=True, slots=True)
class Failure:
    """What could be told from an exception and everything that it came from."""

    names: frozenset[str] = frozenset()
    """Of the classes."""
    status: int | None = None
    """The HTTP status that really came."""
    retry_after: float | None = None
    text: str = ""


def redacted(text: str, key: str | None = None) -> str:
    """Return `text` on one line of reasonable length, without anything like a key."""
    if key is not None and len(key) > 4:
        text = text.replace(key, "…")
    line = visible_line(_SECRETS.sub("…", text))
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def quotable(error: BaseException) -> str:
    """Return the provider's own words, if there are any, short and unwrapped."""
    text, _, _ = str(error).partition("\nTraceback ")
    text, _, _ = text.partition(" Original exception:")
    previous = None
    while text != previous:
        previous, text = text, _WRAPPINGS.sub("", text.strip())
    return visible_line(text).rstrip(".")


def line_for(kind: ErrorKind, failure: Failure, endpoint: Endpoint) -> str:
    """Return what to tell a user."""
    model, host = endpoint.model, _host(endpoint)
    said = f" ({_short(failure.text)})" if failure.text else ""
    match kind:
        case "no_key":
            names = _variables(model) or _named_in(failure.text)
            return f"No key for {model}: set {names} in the environment."
        case "bad_key":
            return f"{host} refuses the key: check {_source(endpoint)}{said}."
        case "unknown_model":
            return _no_model(endpoint, host)
        case "rate_limit" if _NO_MONEY.search(failure.text):
            return f"{host} wants to be paid before it goes on{said}."
        case "rate_limit":
            return f"{host} is asked too often: try again {_later(failure)}{said}."
        case "too_long":
            return (
                f"The conversation is too long for {model}: fork further up or choose "
                f"a model with a larger window{said}."
            )
        case "refused":
            return f"{host} refuses this by its policy: word it differently{said}."
        case "unreachable":
            return f"Cannot connect to {host}: {_why_unreachable(failure)}."
        case "timeout":
            return f"{host} took too long to answer: try again."
        case "cut":
            return f"The connection to {host} broke off before the reply was whole."
        case "server":
            return f"{host} has trouble of its own: try again later{said}."
        case "nonsense":
            return f"{host} sent no chat reply: check the address and the model."
        case _:
            return f"{host} cannot do this{said}."


def _host(endpoint: Endpoint) -> str:
    """Return who is asked, as a user would name it."""
    if not endpoint.api_base:
        return provider_of(endpoint.model) or "The provider"
    try:
        address = urlsplit(endpoint.api_base).netloc
    except ValueError:
        address = ""
    return address.rpartition("@")[2] or "The server"


def _source(endpoint: Endpoint) -> str:
    """Return where the user put the key."""
    if endpoint.key_variable:
        return endpoint.key_variable
    if endpoint.key_command:
        return f"what the command {endpoint.key_command[0]!r} prints"
    if endpoint.api_base:
        return "that key_variable names one for this address"
    return _variables(endpoint.model) or "the provider's variable"


def _variables(model: str) -> str:
    provider = PROVIDERS.get(provider_of(model))
    return " or ".join(provider.variables[:2]) if provider else ""


def _named_in(text: str) -> str:
    names = dict.fromkeys(_VARIABLES.findall(text))
    return " or ".join(list(names)[:2]) or "the provider's key"


def _no_model(endpoint: Endpoint, host: str) -> str:
    near = " or ".join(near_names(endpoint.model))
    if endpoint.api_base:
        return f"{host} has no model {endpoint.model}: check its name."
    if near:
        return f"There is no model {endpoint.model}; perhaps {near}?"
    return (
        f"There is no model {endpoint.model}: check its name, and name its provider "
        "too, as in openai/NAME."
    )


def _why_unreachable(failure: Failure) -> str:
    reasons = (why for name, why in _WHY_UNREACHABLE.items() if name in failure.names)
    return next(reasons, "check the network and the address")


def _later(failure: Failure) -> str:
    if failure.retry_after is None:
        return "later"
    return f"in {max(1, round(failure.retry_after))} seconds"


def _short(text: str) -> str:
    if len(text) <= _LONGEST_QUOTE:
        return text
    return f"{text[: _LONGEST_QUOTE - 1].rstrip()}…"
