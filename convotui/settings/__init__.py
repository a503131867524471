"""What the user has chosen: in the environment, the project and their own settings.

What a project's file may say is limited, for it may have come with a clone: it never
says where a model is reached or which key it gets.
"""

from convotui.settings.reading import PROJECT_FILE, USER_FILE, read_settings
from convotui.settings.values import NamedModel, Settings, SettingsError

__all__ = [
    "PROJECT_FILE",
    "USER_FILE",
    "NamedModel",
    "Settings",
    "SettingsError",
    "read_settings",
]
