"""A sample project to try convotui on: a few conversations about one small program."""

from convotui.demo.sample import HAIKU, SONNET, fill

__all__ = ["HAIKU", "SONNET", "fill"]
