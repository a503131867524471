"""Which model answers: what was asked for, what the thread had, what there is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from convotui.llm import LOCAL_PREFIX, Endpoint, ModelError, weights
from convotui.llm.catalog import facts_of
from convotui.llm.discovery import (
    UsableModel,
    default_model_for_keys,
    ollama_url,
    running_ollama,
    usable,
)
from convotui.llm.local import BUILT_IN, LocalClient, can_run
from convotui.llm.providers import PROVIDERS, has_key, provider_of
from convotui.settings import Settings
from convotui.storage import ChatMessage

NO_MODEL = (
    "There is no model to ask. Set a provider's key, such as ANTHROPIC_API_KEY or "
    "OPENAI_API_KEY, start Ollama, or get the small built-in one with "
    "'convotui models install'."
)


class InstallError(Exception):
    """The built-in model could not be had; the text says why."""


class NoModelError(Exception):
    """There is nobody to ask; the text says how to get a model."""

    def __init__(self) -> None:
        super().__init__(NO_MODEL)


@dataclass(frozen=True, slots=True)
class ChosenModel:
    """A model with all that a request to it needs to know."""

    name: str
    """What the user calls it."""
    endpoint: Endpoint
    system: str
    window: int | None
    """How many tokens it can read; `None` if nobody knows."""
    provider: str
    """Who runs it."""


class Models:
    """The models of one user on one machine. Methods may block for half a second."""

    def __init__(
        self,
        settings: Settings,
        environment: Mapping[str, str],
        directory: Path,
        wanted: str = "",
        system: str | None = None,
    ) -> None:
        self._settings = settings
        self._environment = environment
        self._weights = directory
        self.wanted = wanted
        """The model that the user has asked for, if any."""
        self._system = system
        self._ollama: list[Endpoint] = []
        """What a running Ollama had when it was last asked."""

    @property
    def can_install(self) -> bool:
        """Whether the built-in model could be had and is not there yet."""
        return can_run() and weights.installed(self._weights) is None

    def install(
        self, progress: Callable[[int, int | None], None], cancelled: Callable[[], bool]
    ) -> None:
        """Fetch the built-in model, which takes a while.

        Raises:
            InstallError: If it did not come.
        """
        try:
            weights.install(self._weights, progress, cancelled)
        except weights.WeightsError as error:
            raise InstallError(str(error)) from error

    def choose(
        self, thread: Sequence[ChatMessage] = (), *, looks_around: bool = True
    ) -> ChosenModel:
        """Return the model that goes on with a thread.

        Whoever only browses does not look around: nothing is connected to, and an
        Ollama is known only if it was found before.

        Raises:
            NoModelError: If there is none.
        """
        last = "" if self.wanted else self._last_of(thread, looks_around)
        if name := self.wanted or last or self._settings.model:
            return self.named(name)
        if name := default_model_for_keys(self._environment) or "":
            return self.named(name)
        for endpoint in self._found_ollama(looks_around)[:1]:
            return self._chosen(endpoint.model, endpoint)
        if can_run() and weights.installed(self._weights):
            return self.named(BUILT_IN)
        raise NoModelError

    def named(self, name: str) -> ChosenModel:
        """Return the model of a name, the user's own or litellm's."""
        if name in self._settings.models:
            return self._chosen(name, self._settings.models[name].endpoint)
        for own, model in self._settings.models.items():
            if model.endpoint.model == name:
                return self._chosen(own, model.endpoint)
        base = ollama_url(self._environment) if name.startswith("ollama") else None
        return self._chosen(name, Endpoint(name, api_base=base))

    def usable(self) -> list[UsableModel]:
        """Return every model that would answer now, the user's own first."""
        found = usable(
            self._environment,
            endpoints={name: it.endpoint for name, it in self._settings.models.items()},
            ollama=self._found_ollama(),
        )
        if can_run() and (path := weights.installed(self._weights)):
            built_in = Endpoint(BUILT_IN)
            found.append(UsableModel(BUILT_IN, "local", str(path), built_in))
        return found

    def _chosen(self, name: str, endpoint: Endpoint) -> ChosenModel:
        own = self._settings.models.get(name)
        facts = facts_of(endpoint.model)
        window = facts.context_window if facts else None
        if endpoint.is_local:
            # A file that cannot be read is told when it is asked.
            with suppress(ModelError):
                window = LocalClient(self._weights).window_of(endpoint.model)
        system = self._system
        if system is None:
            system = (own.system if own else "") or self._settings.system_prompt
        return ChosenModel(
            name=name,
            endpoint=endpoint,
            system=system,
            window=(own.context_window if own else None) or window,
            provider=provider_of(endpoint.model),
        )

    def _last_of(self, thread: Sequence[ChatMessage], looks_around: bool) -> str:
        """Return the model of the last reply, if it can still be asked."""
        for message in reversed(thread):
            if message.facts and message.facts.model:
                model = message.facts.model
                own = {it.endpoint.model for it in self._settings.models.values()}
                known = {*own, *self._settings.models}
                if model in known or self._can_ask(model, looks_around):
                    return model
                return ""
        return ""

    def _can_ask(self, model: str, looks_around: bool) -> bool:
        if model.startswith(LOCAL_PREFIX):
            if model == BUILT_IN:
                return can_run() and weights.installed(self._weights) is not None
            return can_run() and Path(model.removeprefix(LOCAL_PREFIX)).is_file()
        if model.startswith("ollama"):
            found = self._found_ollama(looks_around)
            return model in {endpoint.model for endpoint in found}
        provider = PROVIDERS.get(provider_of(model))
        return provider is not None and has_key(provider, self._environment) is not None

    def _found_ollama(self, looks_around: bool = True) -> list[Endpoint]:
        if looks_around:
            self._ollama = running_ollama(ollama_url(self._environment))
        return self._ollama
