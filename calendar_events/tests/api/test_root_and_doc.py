"""The namespace index, the OpenAPI document and the pages that show it (spec 4.3)."""

import pytest
from django_filters import BaseCSVFilter

from calendar_events.filters.filtersets import (
    CategoryFilter,
    EventFilter,
    PlaceFilter,
    TagFilter,
)
from calendar_events.tests.callers import bad_fields, refusal

PARAMETERS = {
    "events": [
        *("page", "per_page", "start_date", "end_date", "starts_before", "starts_after"),
        *("ends_before", "ends_after", "strict_dates", "search", "categories", "tags"),
        *("venue", "organizer", "featured", "status", "geoloc", "geoloc_lat"),
        *("geoloc_lng", "include", "post_parent", "ticketed"),
    ],
    "venues": [
        *("page", "per_page", "search", "event", "has_events", "only_with_upcoming"),
        "status",
    ],
    "categories": [
        *("page", "per_page", "search", "exclude", "include", "order", "orderby"),
        *("hide_empty", "parent", "post", "event", "slug"),
    ],
}
PARAMETERS["organizers"] = PARAMETERS["venues"]
PARAMETERS["tags"] = [name for name in PARAMETERS["categories"] if name != "parent"]
SINGLE = ["GET", "DELETE", "POST", "PUT", "PATCH"]


def test_the_index_lists_every_route_with_its_methods(anonymous):
    document = anonymous.get("").json()

    namespace = "platform/events/v1"
    routes = {
        path.removeprefix(f"/{namespace}"): route["methods"]
        for path, route in document["routes"].items()
    }
    assert document["namespace"] == namespace
    assert routes[""] == routes["/doc"] == ["GET"]
    for name in PARAMETERS:
        assert routes[f"/{name}"] == ["GET", "POST"]
        assert routes[f"/{name}/(?P<id>\\d+)"] == SINGLE
        by_slug = f"/{name}/by-slug/(?P<slug>[^/]+)"
        assert (by_slug in routes) == (name not in {"categories", "tags"})


@pytest.mark.parametrize("name", PARAMETERS)
def test_the_index_tells_every_parameter_of_the_spec(anonymous, name):
    route = anonymous.get("/").json()["routes"][f"/platform/events/v1/{name}"]

    (read, _) = route["endpoints"]
    assert set(PARAMETERS[name]) <= read["args"].keys()
    assert read["args"]["page"]["default"] == 1
    assert read["args"]["per_page"]["default"] == 10


@pytest.mark.parametrize(
    ("query", "bad"),
    [
        ("?namespace=platform/events/v1&context=view", []),
        ("?context=embed", []),
        ("?namespace=wp/v2", ["namespace"]),
        ("?context=nothing", ["context"]),
        ("?namespace=&context=", ["context", "namespace"]),
    ],
)
def test_namespace_and_context_are_checked(anonymous, query, bad):
    response = anonymous.get(query)

    if bad:
        assert bad_fields(response) == bad
    else:
        assert response.status_code == 200


def test_the_document_is_valid_openapi_relative_to_the_root(anonymous):
    from drf_spectacular.validation import validate_schema  # noqa: PLC0415 -- a second

    document = anonymous.get("/doc").json()

    validate_schema(document)
    assert document["openapi"].startswith("3.")
    assert document["servers"][0]["url"] == "http://testserver/platform/events/v1"
    assert document["info"]["version"]
    assert document["info"]["description"]


def test_the_document_has_every_path_and_method(anonymous):
    paths = anonymous.get("/doc/").json()["paths"]

    expected = {"/": {"get"}, "/doc": {"get"}, "/events.ics": {"get"}}
    expected["/changes"] = {"get"}
    expected |= {"/series/{id}": {"get"}, "/series/{id}.ics": {"get"}}
    expected |= {"/events/{id}.ics": {"get"}, "/events/by-slug/{slug}.ics": {"get"}}
    for name in PARAMETERS:
        expected[f"/{name}"] = {"get", "post"}
        expected[f"/{name}/{{id}}"] = {method.lower() for method in SINGLE}
        if name not in {"categories", "tags"}:
            expected[f"/{name}/by-slug/{{slug}}"] = expected[f"/{name}/{{id}}"]
    expected |= {"/webhooks": {"get", "post"}}
    expected |= {"/webhooks/{id}": {method.lower() for method in SINGLE}}
    expected |= {f"/webhooks/{{id}}/{action}": {"post"} for action in ("rotate", "test")}
    messages = "/webhooks/{id}/deliveries"
    expected |= {messages: {"get"}, f"{messages}/{{message}}/again": {"post"}}
    assert {path: set(methods) for path, methods in paths.items()} == expected


def test_components_have_the_decided_names(anonymous):
    components = anonymous.get("/doc").json()["components"]

    assert {
        *("Event", "Venue", "Organizer", "Term", "Image", "ImageSize"),
        *("DateDetails", "CostDetails", "Error"),
    } <= components["schemas"].keys()
    assert set(components["securitySchemes"]) == {"bearer", "oauth2", "hmac"}


@pytest.mark.parametrize("name", PARAMETERS)
def test_operations_tell_parameters_answers_errors_and_security(anonymous, name):
    operations = anonymous.get("/doc").json()["paths"][f"/{name}"]
    read, write = operations["get"], operations["post"]

    described = {parameter["name"] for parameter in read["parameters"]}
    assert set(PARAMETERS[name]) <= described
    assert read["responses"]["200"]["content"]["application/json"]["schema"]
    assert {"400", "401", "403", "404", "406"} <= read["responses"].keys()
    assert {"201", "400", "401", "403", "415", "422"} <= write["responses"].keys()
    credentials = [{"bearer": []}, {"oauth2": []}, {"hmac": []}]
    assert read["security"] == [*credentials, {}]
    assert write["security"] == credentials
    assert "application/json" in write["requestBody"]["content"]
    assert "application/x-www-form-urlencoded" in write["requestBody"]["content"]


def operations_of(anonymous):
    """Return (path, method, operation) of the whole document."""
    paths = anonymous.get("/doc").json()["paths"]
    return [
        (path, method, operation)
        for path, methods in paths.items()
        for method, operation in methods.items()
    ]


def test_identifiers_in_paths_are_integers(anonymous):
    schemas = [
        parameter["schema"]
        for path, _, operation in operations_of(anonymous)
        for parameter in operation.get("parameters", [])
        if "{id}" in path and parameter["name"] == "id"
    ]

    assert len(schemas) == 37
    assert all(schema["type"] == "integer" for schema in schemas)


def test_nothing_is_nullable_without_a_type(anonymous):
    def untyped(node):
        if isinstance(node, dict):
            if node.get("nullable") and "type" not in node:
                yield node
            node = list(node.values())
        if isinstance(node, list):
            for member in node:
                yield from untyped(member)

    assert list(untyped(anonymous.get("/doc").json())) == []


def test_answers_name_the_headers_that_they_carry(anonymous):
    for path, method, operation in operations_of(anonymous):
        answers = operation["responses"]
        if path in {"/", "/doc"}:
            continue
        assert "WWW-Authenticate" in answers["401"]["headers"], (path, method)
        assert "Allow" in answers["405"]["headers"], (path, method)
        assert "Retry-After" in answers["429"]["headers"], (path, method)
        assert "Retry-After" in answers["503"]["headers"], (path, method)
        if path.startswith("/webhooks"):  # nobody is to store what is answered
            continue
        if "201" in answers:
            assert {"Location", "ETag"} <= answers["201"]["headers"].keys()
        if method == "get" and "{" in path:
            assert "Last-Modified" in answers["200"]["headers"], path


def test_every_operation_has_examples_of_what_is_sent_and_answered(anonymous):
    for path, method, operation in operations_of(anonymous):
        if path in {"/", "/doc"} or ".ics" in path:
            continue
        (success,) = [each for each in operation["responses"] if each[0] == "2"]
        answer = operation["responses"][success]
        assert answer["content"]["application/json"]["examples"], (path, method)
        assert operation["responses"]["400"]["content"]["application/json"]["examples"]
        if path.endswith(("/rotate", "/test", "/again")):  # of webhooks: nothing is sent
            continue
        if method in {"post", "put", "patch"}:
            body = operation["requestBody"]["content"]["application/json"]
            assert body["examples"], (path, method)


def test_an_error_is_one_typed_object(anonymous):
    document = anonymous.get("/doc").json()

    for _, _, operation in operations_of(anonymous):
        for status, answer in operation["responses"].items():
            if int(status) >= 400:
                assert answer["content"] == {
                    "application/json": answer["content"]["application/json"]
                }
                schema = answer["content"]["application/json"]["schema"]
                assert schema == {"$ref": "#/components/schemas/Error"}
    data = document["components"]["schemas"]["EventsErrorData"]["properties"]
    assert {"status", "params", "details", "detail", "term_id", "reason"} <= data.keys()


def test_clients_can_sign_in_from_the_document(anonymous, settings):
    scheme = anonymous.get("/doc").json()["components"]["securitySchemes"]["oauth2"]

    flow = scheme["flows"]["authorizationCode"]
    assert flow["authorizationUrl"] == "http://testserver/oauth2/auth"
    assert flow["tokenUrl"] == "http://testserver/oauth2/token"
    assert "calendar_events" in flow["scopes"]


def test_tags_are_declared_once_for_all(anonymous):
    document = anonymous.get("/doc").json()

    declared = {tag["name"] for tag in document["tags"]}
    used = {
        tag for _, _, operation in operations_of(anonymous) for tag in operation["tags"]
    }
    assert used == declared


def test_operation_identifiers_are_unique(anonymous):
    paths = anonymous.get("/doc").json()["paths"]

    found = [one["operationId"] for methods in paths.values() for one in methods.values()]

    assert len(found) == len(set(found))
    assert {"listEvents", "readVenueBySlug", "createTag", "deleteOrganizer"} <= set(found)


@pytest.mark.parametrize(
    ("filterset", "name"),
    [
        (EventFilter, "events"),
        (PlaceFilter, "venues"),
        (CategoryFilter, "categories"),
        (TagFilter, "tags"),
    ],
)
def test_every_declared_parameter_is_documented(anonymous, filterset, name):
    operation = anonymous.get("/doc").json()["paths"][f"/{name}"]["get"]

    shown = {one["name"]: one for one in operation["parameters"] if one["in"] == "query"}

    for parameter, declared in filterset.base_filters.items():
        kind = "array" if isinstance(declared, BaseCSVFilter) else declared.schema["type"]
        assert shown[parameter]["description"] == declared.extra["help_text"]
        assert shown[parameter]["schema"]["type"] == kind
        assert shown[parameter].get("required", False) is False


@pytest.mark.parametrize("name", PARAMETERS)
def test_the_index_tells_of_a_list_what_the_document_does(anonymous, name):
    operation = anonymous.get("/doc").json()["paths"][f"/{name}"]["get"]
    route = anonymous.get("/").json()["routes"][f"/platform/events/v1/{name}"]

    shown = {
        one["name"]: {
            **one["schema"],
            "description": one["description"],
            "required": False,
        }
        for one in operation["parameters"]
        if one["in"] == "query" and one["name"] != "contextInstitutionId"
    }
    assert route["endpoints"][0]["args"] == shown


def test_the_page_for_people_needs_nothing_from_elsewhere(anonymous):
    response = anonymous.get("/doc/swagger")

    content = response.content.decode()
    assert response.status_code == 200
    assert 'data-schema="/platform/events/v1/doc"' in content
    assert "drf_spectacular_sidecar" in content
    assert "//" not in content.replace("https://", "//").split("<body>")[1]
    assert "<script>" not in content


def test_the_page_for_people_is_read_only(anonymous):
    response = anonymous.send("POST", "/doc/swagger", {})

    assert refusal(response) == (405, "rest_method_not_supported")
    assert response.headers["Allow"] == "GET, HEAD, OPTIONS"


def test_the_document_names_the_server_that_the_settings_name(anonymous, settings):
    settings.CALENDAR_EVENTS = {
        **settings.CALENDAR_EVENTS,
        "PUBLIC_URL": "https://calendar.example",
    }

    document = anonymous.get("/doc").json()

    assert document["servers"][0]["url"] == "https://calendar.example/platform/events/v1"
