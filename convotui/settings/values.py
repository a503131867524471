"""Every setting, with its default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from convotui.llm import Endpoint


class SettingsError(Exception):
    """A setting that cannot be used; its text is fit to be shown."""


@dataclass(frozen=True, slots=True)
class NamedModel:
    """A model that the user has given a name."""

    endpoint: Endpoint
    system: str = ""
    """The system prompt that goes with it, in place of the usual one."""
    context_window: int | None = None
    """How many tokens it can read, where that is not known by its name."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user has chosen."""

    ascii: bool = False
    """Draw the tree with ASCII only."""
    git_exclude: bool = True
    """Have git ignore the file of conversations when it is made."""
    keymap: Mapping[str, str] = field(default_factory=dict)
    """Other keys for the screen, by the ids that its help shows."""
    model: str = ""
    """The model to ask where nothing else says which, by its name."""
    system: str = ""
    """The system prompt."""
    persona: str = ""
    """The name of one of `personas`, whose words are used in place of `system`."""
    models: Mapping[str, NamedModel] = field(default_factory=dict)
    """Models by names of your own, with where they are reached and how."""
    personas: Mapping[str, str] = field(default_factory=dict)
    """System prompts by name."""

    @property
    def system_prompt(self) -> str:
        """The words of the persona, if one is chosen, or else the system prompt."""
        return self.personas[self.persona] if self.persona else self.system
