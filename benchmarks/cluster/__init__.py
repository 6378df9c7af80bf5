"""Several hosts on one machine: failover of PostgreSQL and Redis, under load."""
