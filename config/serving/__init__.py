"""The server's own half of a request: receiving it, choosing who runs it, sending it.

Nothing here knows the platform; ``config.asgi`` puts it around the WSGI application.
"""
