"""An error as a document: XML, or the JSON of a dialect.

Nothing here knows about requests; ``handler.py`` makes responses of these.
"""

import json
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

from platform_errors.errors.base import ApiError, printable
from platform_errors.errors.dialects import Dialect

XML_CONTENT_TYPE = "application/xml; charset=utf-8"
JSON_CONTENT_TYPE = "application/json"


class Document(NamedTuple):
    """Bytes ready to be sent, and what they are."""

    content: bytes
    content_type: str


def error_document(
    error: ApiError, *, dialect: Dialect, accept: str, namespace: str
) -> Document:
    """Return the error in the form that the dialect gives to this ``Accept`` value."""
    if dialect.wants_xml(accept):
        return Document(error_xml(error, namespace), XML_CONTENT_TYPE)
    return Document(to_json(dialect.members(error)), JSON_CONTENT_TYPE)


def error_xml(error: ApiError, namespace: str) -> bytes:
    """Return the XML error document of spec 2.7: all three children, always."""
    members = {
        "code": error.status_code,
        "message": error.text,
        "detail": error.xml_detail,
    }
    return to_xml("error", members, namespace)


def to_json(members: dict[str, Any]) -> bytes:
    """Serialise, whatever the strings hold that a caller sent."""
    return json.dumps(_printable(members), ensure_ascii=False, default=str).encode()


def to_xml(root: str, members: dict[str, Any], namespace: str) -> bytes:
    """Serialise members as children of ``root`` in the default namespace, in their order.

    A list becomes an element with one child per item, named like the list without its final
    ``s``; ``None`` an empty element. Characters that XML 1.0 cannot carry are replaced.
    """
    tree = ET.Element(f"{{{namespace}}}{root}")
    _append(tree, members, namespace)
    return ET.tostring(
        tree, encoding="utf-8", xml_declaration=True, default_namespace=namespace
    )


def _append(parent: ET.Element, members: dict[str, Any], namespace: str) -> None:
    for name, value in members.items():
        child = ET.SubElement(parent, f"{{{namespace}}}{name}")
        if isinstance(value, dict):
            _append(child, value, namespace)
        elif isinstance(value, list):
            for item in value:
                _append(child, {name.removesuffix("s"): item}, namespace)
        elif value is not None:
            child.text = printable(str(value))


def _printable(value: Any) -> Any:
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {printable(str(name)): _printable(item) for name, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [_printable(item) for item in value]
    return value
