"""convotui's own two themes; Textual's are there as well."""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="convotui-dark",
    primary="#7aa2f7",
    secondary="#7dcfff",
    accent="#bb9af7",
    success="#9ece6a",
    warning="#e0af68",
    error="#f7768e",
    foreground="#c8d0e7",
    background="#16171f",
    surface="#1a1b26",
    panel="#24263a",
    dark=True,
)
LIGHT = Theme(
    name="convotui-light",
    primary="#2456b3",
    secondary="#0b6e8a",
    accent="#7a3fb0",
    success="#3d6b12",
    warning="#8a5a00",
    error="#b3203a",
    foreground="#24283b",
    background="#eceef4",
    surface="#f7f8fb",
    panel="#dde1ec",
    dark=False,
)


def fitting_theme(name: str, color_system: str | None) -> str:
    """Return the theme of a name, or one that sixteen colours are enough for."""
    if color_system != "standard":
        return name
    return {DARK.name: "ansi-dark", LIGHT.name: "ansi-light"}.get(name, name)
