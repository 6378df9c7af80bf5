"""How the databases are reached: time limits, and a replica for anonymous reads."""
