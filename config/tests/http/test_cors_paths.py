"""Which addresses of the whole project scripts of any origin may call (decisions 6)."""

import pytest
from django.conf import settings
from django.test import Client

from platform_errors.conf import conf

MOUNT = f"/{settings.BASE_MOUNT}{settings.VENDOR_NS}"


@pytest.mark.parametrize(
    "path", ["", "/", "/evnets/v1", "/identity/v2", "/events/v2/events"]
)
def test_a_typing_error_in_an_address_is_a_404_that_a_script_can_read(path):
    response = Client().get(f"{MOUNT}{path}")

    assert response.status_code == 404
    assert response["Access-Control-Allow-Origin"] == "*"
    assert response["Access-Control-Expose-Headers"] == (
        "ETag, Last-Modified, Location, Link, Allow, X-TEC-Total, X-TEC-TotalPages, "
        f"WWW-Authenticate, Retry-After, {conf.request_id_header}, {conf.reason_header}"
    )


@pytest.mark.parametrize("path", ["/", "/accounts/nothing", f"{MOUNT}s/events/v1"])
def test_what_is_no_api_is_for_no_script(path):
    assert "Access-Control-Allow-Origin" not in Client().get(path)
