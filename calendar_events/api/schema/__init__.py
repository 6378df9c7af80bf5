"""OpenAPI: the operations, what is around their answers, and the document at ``/doc``.

Importing the package registers what drf-spectacular has to know about our fields.
"""

from calendar_events.api.schema import inputs

__all__ = ["inputs"]
