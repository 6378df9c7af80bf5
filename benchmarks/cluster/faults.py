"""What is lost at once, by the names of its parts; all of it is started again later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from config.tests.deploy import cluster_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.cluster.hosts import Hosts


def _primary(hosts: Hosts) -> list[str]:
    """Lose PostgreSQL and its Patroni; etcd, Redis and Sentinel beside them go on."""
    return [f"patroni-{hosts.host_of('leader')}"]


def _synchronous_replica(hosts: Hosts) -> list[str]:
    """Lose the database whose answer every commit waits for."""
    return [f"patroni-{hosts.host_of('sync_standby')}"]


def _machine_of_the_primary(hosts: Hosts) -> list[str]:
    return hosts.database_host(hosts.host_of("leader"))


def _primary_of_redis(hosts: Hosts) -> list[str]:
    return [f"redis-{hosts.host_of_redis()}"]


def _application_host(_hosts: Hosts) -> list[str]:
    return ["server-2", "haproxy-2"]


def _etcd(_hosts: Hosts) -> list[str]:
    return [f"etcd-{host}" for host in cluster_files.DATABASE_HOSTS]


FAULTS: Final[dict[str, Callable[[Hosts], list[str]]]] = {
    "the primary of PostgreSQL": _primary,
    "its synchronous replica": _synchronous_replica,
    "an application host": _application_host,
    "the primary of Redis": _primary_of_redis,
    "all of etcd": _etcd,
    "the machine of the primary": _machine_of_the_primary,
}
