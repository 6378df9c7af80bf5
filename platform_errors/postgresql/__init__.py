"""Django's PostgreSQL backend, and connections that notice a server that fell silent.

Named as ``ENGINE`` of a database. The time limits of statements and locks are the server's
to keep; one that is frozen keeps none, and its kernel still acknowledges what is sent.
"""
