"""``_fields``, apart from any answer."""

from calendar_events.api import renderers


def test_fields_of_what_is_no_object_are_the_thing_itself():
    assert renderers.cut(b'{"a":[1,{"b":2,"c":3}]}', "a.b") == b'{"a":[1,{"b":2}]}'
    assert renderers.cut(b'{"a":{"b":1}}', "a.b,a") == b'{"a":{"b":1}}'
    assert renderers.cut(b'{"a":1}', " ") == b'{"a":1}'
