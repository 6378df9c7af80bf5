"""Django admin for what belongs to no app of ours."""

from config.admin import task

__all__ = ["task"]
