"""`convotui models`: which models can be asked, and how to get the built-in one."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from convotui.cli.context import Session, notice
from convotui.cli.format import fit, write
from convotui.cli.options import json_option, pass_session
from convotui.text import visible_line, width_of

if TYPE_CHECKING:
    from convotui.conversations.models import Models
    from convotui.llm.discovery import UsableModel

_MILLION = 1_000_000
_SOURCES = {
    "configured": "settings",
    "key": "key",
    "ollama": "Ollama",
    "local": "this machine",
}


class _ModelsCommand(click.Command):
    """Words to look for, unless the first is the name of the other command."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        if args[:1] == [install_command.name]:
            name = f"{info_name} {install_command.name}"
            return install_command.make_context(name, args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command(
    "models",
    cls=_ModelsCommand,
    short_help="List the models that can be asked now.",
)
@click.argument("words", nargs=-1)
@json_option
@pass_session
def models_command(session: Session, words: tuple[str, ...], as_json: bool) -> None:
    """List the models that can be asked now, or those whose names hold all WORDS.

    Those of your settings, those of every provider whose key is in the environment,
    those of a running Ollama, and the built-in one. The first column marks the default,
    then come how many tokens a model reads, and what a million of them cost in and out.
    """
    from convotui.cli.talking import models_of
    from convotui.conversations.models import NO_MODEL

    models = models_of(session)
    usable = models.usable()
    found = [model for model in usable if _matches(model, words)]
    default = _default(models)
    if as_json:
        listed = [_json(models, model, default) for model in found]
        write([json.dumps(listed, indent=2) + "\n"])
    elif found:
        write(_lines(session, models, found, default))
    elif usable:
        notice("No model that can be asked has such a name.")
    else:
        # Two lines: what is missing, and how to get it.
        for sentence in NO_MODEL.split(". ", 1):
            notice(sentence.removesuffix(".") + ".")


@click.command("install")
@click.option("--yes", is_flag=True, help="Do not ask.")
def install_command(yes: bool) -> None:
    """Fetch the weights of the built-in model, once, into your data directory.

    SmolLM2-135M needs no key and no network, and is a demonstration and a fallback: it
    is very small, and often wrong.
    """
    from convotui.cli.talking import weights_path
    from convotui.llm import weights
    from convotui.llm.local import BUILT_IN, HOW_TO_INSTALL, can_run

    if not can_run():
        raise click.ClickException(
            f"What runs the built-in model is not installed: {HOW_TO_INSTALL}"
        )
    found = weights.installed(weights_path())
    if found and weights.verify(found):
        notice(f"{BUILT_IN} is there already: {found}")
        return
    if not yes:
        _ask_for_consent(f"{weights.SIZE // _MILLION} MB, license Apache-2.0")
    # Whoever ends it wants nothing to be left behind either.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    with click.progressbar(
        length=weights.DOWNLOAD_SIZE, label="Fetching", file=sys.stderr
    ) as bar:

        def show(there: int, _: int | None) -> None:
            bar.update(there - bar.pos)

        try:
            path = weights.install(weights_path(), show, lambda: False)
        except weights.WeightsError as error:
            raise click.ClickException(str(error)) from None
    notice(f"{BUILT_IN} is there: {path}")


def _ask_for_consent(what: str) -> None:
    if not sys.stdin.isatty():
        raise click.UsageError(f"--yes is needed to fetch the model ({what}).")
    if not click.confirm(f"Fetch SmolLM2-135M with pip ({what})?", err=True):
        raise click.ClickException("Nothing was fetched.")


def _matches(model: UsableModel, words: Sequence[str]) -> bool:
    name = f"{model.name} {model.endpoint.model}".lower()
    return all(word.lower() in name for word in words)


def _default(models: Models) -> str:
    """Return the name of the model that is asked when none is named."""
    from convotui.conversations.models import NoModelError

    try:
        return models.choose().name
    except NoModelError:
        return ""


def _lines(
    session: Session, models: Models, found: Sequence[UsableModel], default: str
) -> Iterator[str]:
    rows = [
        (
            "*" if model.name == default else " ",
            visible_line(model.name),
            _tokens(models.named(model.name).window),
            _prices(model),
            _why(model),
        )
        for model in found
    ]
    widths = [max(map(width_of, column)) for column in zip(*rows, strict=True)]
    for mark, name, window, prices, why in rows:
        name += " " * (widths[1] - width_of(name))
        line = f"{mark} {name}  {window:>{widths[2]}}  {prices:>{widths[3]}}  {why}"
        line = fit(session, line.rstrip())
        yield f"{session.style(line, bold=mark == '*')}\n"


def _why(model: UsableModel) -> str:
    return visible_line(f"{_SOURCES[model.source]}: {model.why}")


def _tokens(count: int | None) -> str:
    if count is None:
        return "-"
    return f"{count / _MILLION:.3g}M" if count >= _MILLION else f"{count / 1000:.3g}k"


def _prices(model: UsableModel) -> str:
    facts = model.facts
    prices = (facts.input_price, facts.output_price) if facts else (None, None)
    if prices == (None, None):
        return "-"
    told = ["?" if price is None else f"${price * _MILLION:.3g}" for price in prices]
    return " / ".join(told)


def _json(models: Models, model: UsableModel, default: str) -> dict[str, Any]:
    facts = model.facts
    return {
        "name": model.name,
        "model": model.endpoint.model,
        "default": model.name == default,
        "source": model.source,
        "why": model.why,
        "context_window": models.named(model.name).window,
        "max_output": facts.max_output if facts else None,
        "input_price": facts.input_price if facts else None,
        "output_price": facts.output_price if facts else None,
        "sees_images": facts.sees_images if facts else None,
    }
