"""What every command that talks to models is built from."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_data_path

from convotui.cli.context import Session
from convotui.conversations.models import Models
from convotui.conversations.replies import Replies
from convotui.llm.routing import AnyClient

if TYPE_CHECKING:
    from convotui.storage import Store


def weights_path() -> Path:
    """Return the directory of the built-in model's weights; it need not be there."""
    return user_data_path("convotui") / "models"


def models_of(session: Session, model: str = "", system: str | None = None) -> Models:
    """Return the models that this user can ask, with what was chosen for this time."""
    return Models(
        session.settings, os.environ, weights_path(), wanted=model, system=system
    )


def replies_of(open_store: Callable[[], Store], models: Models) -> Replies:
    """Return what asks the models and keeps what they reply."""
    client = AnyClient(weights_path())
    return Replies(open_store, models, client, client.warm_up)
