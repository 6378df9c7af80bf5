"""``make run`` as a newcomer has it: nothing is prepared."""

import pytest

from config.tests import servers

pytestmark = pytest.mark.processes


def test_ctrl_c_stops_the_server_cleanly_and_it_starts_again_on_the_same_data(tmp_path):
    with servers.demo_server(tmp_path, is_first_start=True) as running:
        total = running.http.get(f"{running.events_root}/events").json()["total"]
        again = running.manage("serve", "--prepare-only")
        status = running.interrupt()
        shown = running.log.read_text()

    assert total >= 60
    assert again == ""
    assert status == 0
    assert f"{running.url}/demo/" in shown
    assert "alice / alice-demo-pass" in shown
    assert "Traceback" not in shown, shown
