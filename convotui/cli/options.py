"""What commands share of click."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Concatenate, ParamSpec

import click

from convotui.cli.context import Session

P = ParamSpec("P")


def pass_session(
    command: Callable[Concatenate[Session, P], None],
) -> Callable[P, None]:
    """Give a command the session as its first argument."""

    def call(*args: P.args, **kwargs: P.kwargs) -> None:
        session = click.get_current_context().find_object(Session)
        assert session is not None
        command(session, *args, **kwargs)

    return update_wrapper(call, command)


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
