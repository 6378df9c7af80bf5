"""OpenAPI: the shapes of answers, the operations, and the document at ``/doc``.

Importing the package registers what drf-spectacular has to know about our fields.
"""

from calendar_events.api.schema import inputs

__all__ = ["inputs"]
