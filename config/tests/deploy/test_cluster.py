"""The files of ``deploy/cluster`` agree with each other."""

import re
import shutil
import subprocess

import pytest
import yaml

from config.tests.deploy import cluster_files
from config.tests.deploy.installation import DEPLOY

HOSTS = {f"database-{host}": f"10.0.0.1{host}" for host in cluster_files.DATABASE_HOSTS}
PATH = "/usr/bin:/usr/sbin:/bin"
HAPROXY, PATRONI = (shutil.which(name, path=PATH) for name in ("haproxy", "patroni"))
# No etcd runs here; `postgresql.pg_hba` does as well.
NO_MATTER = ("already in use", "is not reachable", "bootstrap.pg_hba  is not defined.")


def read(name):
    return (DEPLOY / "cluster" / name).read_text(encoding="utf-8")


def variables(name):
    return dict(re.findall(r"^([A-Z_]+)=(.*)$", read(name), re.MULTILINE))


def lines(name):
    return [line for line in read(name).splitlines() if line and not line.startswith("#")]


def listeners():
    """Return what HAProxy listens for, by its name: the lines of each part."""
    parts = re.split(r"^listen ", read("haproxy.cfg"), flags=re.MULTILINE)[1:]
    return {part.split()[0]: part for part in parts}


@pytest.fixture(scope="module")
def patroni():
    return yaml.safe_load(read("patroni.yml"))


@pytest.mark.parametrize(
    ("listener", "port", "asked"),
    [
        ("postgresql-primary", 5432, 8008),
        ("postgresql-replicas", 5432, 8008),
        ("redis-primary", 6379, None),
    ],
)
def test_haproxy_knows_every_database_host_by_its_ports(listener, port, asked):
    servers = re.findall(r"^ +server (\S+) (\S+)$", listeners()[listener], re.MULTILINE)
    checked = re.findall(r"check port (\d+)", listeners()[listener])

    assert dict(servers) == {name: f"{host}:{port}" for name, host in HOSTS.items()}
    assert checked == ([str(asked)] if asked else [])


def test_patroni_listens_where_haproxy_asks():
    found = variables("patroni.env")

    assert found["PATRONI_NAME"] == "database-1"
    for name, port in (("RESTAPI", 8008), ("POSTGRESQL", 5432)):
        for kind in ("LISTEN", "CONNECT_ADDRESS"):
            assert found[f"PATRONI_{name}_{kind}"] == f"{HOSTS['database-1']}:{port}"


def test_patroni_finds_etcd_on_every_database_host(patroni):
    etcd = variables("etcd.env")
    members = dict(member.split("=") for member in etcd["ETCD_INITIAL_CLUSTER"].split(","))

    assert members == {name: f"http://{host}:2380" for name, host in HOSTS.items()}
    assert etcd["ETCD_NAME"] == "database-1"
    assert etcd["ETCD_INITIAL_ADVERTISE_PEER_URLS"] == members["database-1"]
    assert etcd["ETCD_ADVERTISE_CLIENT_URLS"] == "http://10.0.0.11:2379"
    assert patroni["etcd3"]["hosts"].split(",") == [f"{ip}:2379" for ip in HOSTS.values()]


def test_an_acknowledged_commit_is_on_two_disks_and_a_failover_has_time(patroni):
    rules = patroni["bootstrap"]["dcs"]

    assert rules["synchronous_mode"] is True
    assert rules["synchronous_node_count"] < len(HOSTS) - 1
    assert rules["loop_wait"] + 2 * rules["retry_timeout"] <= rules["ttl"]
    assert "synchronous_commit" not in rules["postgresql"]["parameters"]  # on by itself


def test_redis_sentinel_and_haproxy_have_one_password_and_one_first_primary():
    redis = dict(line.split(" ", 1) for line in lines("redis.conf"))
    sentinel = lines("sentinel.conf")

    assert redis["bind"] == redis["replica-announce-ip"] == HOSTS["database-1"]
    assert redis["masterauth"] == redis["requirepass"]
    assert f"sentinel auth-pass calendar {redis['requirepass']}" in sentinel
    assert f"AUTH\\ {redis['requirepass']}\\r\\n" in listeners()["redis-primary"]
    majority = len(HOSTS) // 2 + 1
    first = f"{redis['bind']} {redis['port']}"
    assert f"sentinel monitor calendar {first} {majority}" in sentinel


@pytest.mark.parametrize("name", ["redis.conf", "sentinel.conf"])
def test_redis_writes_where_debians_unit_lets_it(name):
    assert "dir /var/lib/redis" in lines(name)


def test_only_what_is_a_host_s_own_differs_between_hosts():
    for name in ("etcd.env", "patroni.env", "redis.conf", "sentinel.conf", "patroni.yml"):
        first, second = (cluster_files.of_database_host(name, host) for host in (1, 2))
        assert (first == second) is (name == "patroni.yml")
    assert (
        cluster_files.variables("etcd.env", 2)["ETCD_INITIAL_CLUSTER"]
        == (cluster_files.variables("etcd.env", 1)["ETCD_INITIAL_CLUSTER"])
    )
    assert "\ndir ./\n" in cluster_files.of_database_host("redis.conf", 1)
    assert "monitor calendar 127.77.0.11" in cluster_files.of_database_host(
        "sentinel.conf", 3
    )


@pytest.mark.skipif(not HAPROXY, reason="HAProxy is missing")
def test_haproxy_accepts_its_file():
    checked = subprocess.run(
        [HAPROXY, "-c", "-f", DEPLOY / "cluster" / "haproxy.cfg"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.skipif(not PATRONI, reason="Patroni is missing")
def test_patroni_accepts_its_file(tmp_path, patroni):
    if not shutil.which("postgres", path=patroni["postgresql"]["bin_dir"]):
        pytest.skip("the file names Debian 12's PostgreSQL")
    (tmp_path / "patroni.yml").write_text(cluster_files.of_database_host("patroni.yml", 1))
    checked = subprocess.run(
        [PATRONI, "--validate-config", tmp_path],
        env={"PATH": PATH, **cluster_files.variables("patroni.env", 1)},
        capture_output=True,
        text=True,
        check=False,
    )

    complaints = (checked.stdout + checked.stderr).splitlines()
    assert [each for each in complaints if not any(map(each.count, NO_MATTER))] == []
