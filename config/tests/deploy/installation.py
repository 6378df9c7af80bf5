"""nginx and PgBouncer with the shipped files; only what is a host's own is made here."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from config.tools import with_postgres

DEPLOY = Path(__file__).resolve().parents[3] / "deploy"
NGINX = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
PGBOUNCER = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
START_SECONDS = 60
STOP_SECONDS = 60
PASSWORD = "of-the-pool"

# As /etc/nginx/nginx.conf of a distribution: the site is included in its http context.
MAIN = """
{user}
worker_processes 1;
daemon off;
pid nginx.pid;
error_log stderr;
events {{ worker_connections 1024; }}
http {{
    include /etc/nginx/mime.types;
    default_type application/octet-stream;
    sendfile on;
    gzip on;
    access_log off;
    {temporary}
    include calendar.conf;
}}
"""
HOST = """
listen 127.0.0.1:{http};
listen 127.0.0.1:{https} ssl http2;
server_name 127.0.0.1;
ssl_certificate certificate.pem;
ssl_certificate_key key.pem;
access_log access.log calendar;
error_log stderr crit;
set $calendar_files {files};
"""


@dataclass(frozen=True)
class Proxy:
    """A running nginx."""

    http: int
    https: int
    directory: Path

    @property
    def certificate(self) -> Path:
        """The file of its certificate."""
        return self.directory / "certificate.pem"


@contextlib.contextmanager
def nginx(
    directory: Path, *, http: int, https: int, applications: Sequence[str], files: Path
) -> Iterator[Proxy]:
    """Run nginx with the shipped site, whose own files are written beside it.

    It listens on the ports ``http`` and ``https``; ``applications`` are the addresses
    (host:port) of the servers behind it. Raises ``RuntimeError`` if it does not start.
    """
    shutil.copytree(DEPLOY / "nginx", directory, dirs_exist_ok=True)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    (directory / "nginx.conf").write_text(
        MAIN.format(
            user="user root;" if os.geteuid() == 0 else "",
            temporary=" ".join(f"{kind}_temp_path {kind};" for kind in kinds),
        )
    )
    (directory / "calendar" / "host.conf").write_text(
        HOST.format(http=http, https=https, files=files)
    )
    (directory / "calendar" / "servers.conf").write_text(
        "".join(f"server {address};\n" for address in applications)
    )
    write_certificate(directory)
    command = [NGINX or "nginx", "-e", "stderr", "-p", str(directory), "-c", "nginx.conf"]
    with _running(command, directory / "nginx.log", port=https):
        yield Proxy(http, https, directory)


@contextlib.contextmanager
def pgbouncer(
    port: int,
    database_url: str,
    *,
    host_file: Path = DEPLOY / "pgbouncer" / "pgbouncer.ini",
) -> Iterator[str]:
    """Run PgBouncer with the shipped files; yield the address of the same database.

    ``host_file`` is what includes the rules. The database's user may use its console.
    Raises ``RuntimeError`` if it does not start.
    """
    database = urlsplit(database_url)
    name, account = database.path[1:], with_postgres.server_account()
    with tempfile.TemporaryDirectory(prefix="platform-pgbouncer-") as scratch:
        directory = Path(scratch)
        rules = shutil.copy(DEPLOY / "pgbouncer" / "calendar.ini", directory)
        users = directory / "userlist.txt"
        users.write_text(f'"{database.username}" "{PASSWORD}"\n')
        of_this_host = {
            "listen_addr": "127.0.0.1",
            "listen_port": port,
            "auth_file": users,
            "logfile": "",
            "pidfile": "",
            "unix_socket_dir": "",
        }
        text = host_file.read_text().replace("/etc/pgbouncer/calendar.ini", str(rules))
        text = re.sub(
            "(?m)^calendar = .*",
            f"{name} = host={database.hostname} port={database.port}",
            text,
        )
        for setting, value in of_this_host.items():
            text = re.sub(f"(?m)^{setting} =.*", f"{setting} = {value}", text)
        # The last section is the one of PgBouncer itself.
        text += f"admin_users = {database.username}\n"
        (directory / "pgbouncer.ini").write_text(text)
        if account is not None:
            for path in (directory, *directory.iterdir()):
                shutil.chown(path, account)
        command = [PGBOUNCER or "pgbouncer", str(directory / "pgbouncer.ini")]
        log = directory / "log"
        with _running(command, log, port=port, user=account, extra_groups=account and []):
            there = f"{database.username}:{PASSWORD}@127.0.0.1:{port}"
            yield database._replace(netloc=there).geturl()


@contextlib.contextmanager
def _running(command: list[str], log: Path, *, port: int, **options: Any) -> Iterator[None]:
    """Run a command until the block ends; it has started when it listens on the port."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, **options
        )
    try:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and process.poll() is None:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            time.sleep(0.05)
        else:
            raise RuntimeError(f"{command[0]} did not start:\n{log.read_text()}")
        yield
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def write_certificate(directory: Path) -> None:
    """Write a key and a certificate of its own for 127.0.0.1."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]),
            critical=False,
        )
        .sign(key, hashes.SHA256())
    )
    (directory / "certificate.pem").write_bytes(
        certificate.public_bytes(serialization.Encoding.PEM)
    )
    (directory / "key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
