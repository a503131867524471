"""What went wrong, told in one line that says what to do.

litellm wraps one failure in several exceptions, and which class is outermost differs
from version to version. What is underneath does not: an HTTP status, a broken
connection or a reply that cannot be read. So the whole chain is looked at, by name,
which needs none of the libraries loaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from convotui.llm.client import Endpoint, ErrorKind, ModelError
from convotui.llm.wording import Failure, line_for, quotable, redacted

_LONGEST_WAIT = 7 * 24 * 3600.0

_NO_KEY = re.compile(
    r"missing credentials|missing \S+ api key|api_?key is not set|no key is set"
    r"|api_key client option must be set|unable to locate credentials",
    re.IGNORECASE,
)
_TOO_LONG = re.compile(
    r"context[ _](?:length|window)|maximum context|too many tokens"
    r"|prompt is too long|exceeds? the (?:maximum|limit|available context)",
    re.IGNORECASE,
)
_POLICY = re.compile(
    r"content[ _](?:policy|filter|management)|safety system|responsible ai",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(
    r"model\b.{0,80}(?:not (?:found|exist|valid)|does not exist|invalid|unknown)"
    r"|(?:unknown|invalid|no such) model|llm provider not provided",
    re.IGNORECASE,
)

_ALWAYS: tuple[tuple[ErrorKind, frozenset[str]], ...] = (
    ("too_long", frozenset({"ContextWindowExceededError"})),
    ("refused", frozenset({"ContentPolicyViolationError"})),
    ("unknown_model", frozenset({"LiteLLMUnknownProvider"})),
)
_WITHOUT_STATUS: tuple[tuple[ErrorKind, frozenset[str]], ...] = (
    ("unreachable", frozenset({"ConnectError", "ConnectTimeout", "gaierror"})),
    ("timeout", frozenset({"ReadTimeout", "WriteTimeout", "PoolTimeout"})),
    ("cut", frozenset({"ReadError", "WriteError", "RemoteProtocolError"})),
    (
        "nonsense",
        frozenset(
            {
                "APIResponseValidationError",
                "AttributeError",
                "DecodingError",
                "LookupError",
                "TypeError",
                "ValueError",
            }
        ),
    ),
    ("timeout", frozenset({"TimeoutError", "APITimeoutError"})),
)


def explain(
    error: BaseException, endpoint: Endpoint, key: str | None, said: bool
) -> ModelError:
    """Return the error to show; `said` is whether some of the reply had come."""
    if isinstance(error, ModelError):
        return error
    failure = _failure(error)
    kind = _kind(failure, said)
    line = redacted(line_for(kind, failure, endpoint), key)
    return ModelError(line, kind, failure.retry_after)


def without_end(endpoint: Endpoint, finish: str, said: bool) -> ModelError:
    """Return the error of a reply that ended without a reason, or without a word."""
    nothing = Failure()
    if not finish:
        kind: ErrorKind = "cut" if said else "nonsense"
        return ModelError(redacted(line_for(kind, nothing, endpoint)), kind)
    if finish == "content_filter":
        return ModelError(redacted(line_for("refused", nothing, endpoint)), "refused")
    if finish == "length":
        line = f"{endpoint.model} came to its limit before it said a word: raise it."
        return ModelError(redacted(line), "other")
    return ModelError(
        redacted(f"{endpoint.model} sent an empty reply: try again."), "nonsense"
    )


def _failure(error: BaseException) -> Failure:
    chain = list(_chain(error))
    status, retry_after = None, None
    for link in chain:
        if type(link).__name__.endswith("HTTPStatusError"):
            response = getattr(link, "response", None)
            status = getattr(response, "status_code", None)
            retry_after = _wait(getattr(response, "headers", None))
    names = {kind.__name__ for link in chain for kind in type(link).__mro__}
    return Failure(frozenset(names), status, retry_after, quotable(error))


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and all that it came from."""
    seen: set[int] = set()
    waiting: list[object] = [error]
    while waiting:
        link = waiting.pop()
        if isinstance(link, BaseException) and id(link) not in seen:
            seen.add(id(link))
            yield link
            original = getattr(link, "original_exception", None)
            waiting += [link.__context__, link.__cause__, original]


def _kind(failure: Failure, said: bool) -> ErrorKind:
    for kind, names in _ALWAYS:
        if failure.names & names:
            return kind
    if failure.status is not None:
        return _kind_of_status(failure.status, failure.text)
    if _NO_KEY.search(failure.text):
        return "no_key"
    for kind, names in _WITHOUT_STATUS:
        if failure.names & names:
            # Newer versions of litellm say this of a page that is no stream at all.
            no_stream = kind == "cut" and not said and "finish_reason" in failure.text
            return "nonsense" if no_stream else kind
    if _NO_MODEL.search(failure.text):
        return "unknown_model"
    return "server" if "APIError" in failure.names else "other"


def _kind_of_status(status: int, text: str) -> ErrorKind:
    if status == 413 or (status in (400, 422) and _TOO_LONG.search(text)):
        return "too_long"
    if status in (400, 403, 422) and _POLICY.search(text):
        return "refused"
    if status in (401, 403):
        return "bad_key"
    if status == 404 or (status == 400 and _NO_MODEL.search(text)):
        return "unknown_model"
    if status in (402, 429):
        return "rate_limit"
    if status in (408, 504):
        return "timeout"
    if status < 400:
        return "nonsense"
    return "server" if status >= 500 else "other"


def _wait(headers: object) -> float | None:
    """Return how many seconds a provider asks to wait."""
    get = getattr(headers, "get", None)
    value = get("retry-after") if get is not None else None
    if not isinstance(value, str):
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            when = parsedate_to_datetime(value)
        except ValueError:
            return None
        seconds = (when.astimezone(UTC) - datetime.now(UTC)).total_seconds()
    # Whoever asks for more than that has not counted.
    return max(0.0, seconds) if seconds < _LONGEST_WAIT else None
