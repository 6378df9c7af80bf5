"""The application by its unit's command line, behind nginx and in front of PgBouncer."""

import shutil
import ssl
import subprocess
from dataclasses import dataclass

import httpx
import pytest

from config.tests import prepared, servers
from config.tests.deploy import installation, units


@dataclass
class Site:
    """What is installed; ``server`` is reached through nginx, ``behind`` without it."""

    server: servers.Server
    behind: servers.Server
    proxy: installation.Proxy
    verify: ssl.SSLContext


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """Install everything once; PgBouncer needs PostgreSQL."""
    if not installation.NGINX or not installation.PGBOUNCER:
        pytest.skip("needs nginx and PgBouncer")
    scratch = tmp_path_factory.mktemp("deployed")
    template, made = prepared.demonstration(scratch)
    shutil.copytree(made, scratch / "files")
    application, http, https, pool = (servers.free_port() for _ in range(4))
    (scratch / "nginx").mkdir()
    with (
        servers.database(scratch, template) as database_url,
        installation.pgbouncer(pool, database_url) as pool_url,
        installation.nginx(
            scratch / "nginx",
            http=http,
            https=https,
            applications=[f"127.0.0.1:{application}"],
            files=scratch / "files",
        ) as proxy,
        (scratch / "server.log").open("wb") as output,
    ):
        unit = units.read("calendar.service")
        # What is in /etc/calendar/environment wins over the unit's own.
        environment = unit.environment | prepared.server_environment(
            scratch / "files",
            database_url,
            DEMO="0",
            DATABASE_POOL_URL=pool_url,
            PUBLIC_URL=f"https://127.0.0.1:{https}",
            TRUSTED_PROXIES="127.0.0.1",
            PORT=str(application),
            WORKERS="2",
        )
        process = subprocess.Popen(
            unit.command,
            cwd=servers.ROOT,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        log = scratch / "server.log"
        behind = servers.Server(
            process, f"http://127.0.0.1:{application}", environment, log
        )
        server = servers.Server(process, f"https://127.0.0.1:{https}", environment, log)
        verify = ssl.create_default_context(cafile=str(proxy.certificate))
        server.http = httpx.Client(base_url=server.url, timeout=240, verify=verify)
        try:
            servers.wait_until_it_answers(behind)
            yield Site(server, behind, proxy, verify)
        finally:
            server.http.close()
            behind.http.close()
            process.terminate()
            process.wait(servers.STOP_SECONDS)
