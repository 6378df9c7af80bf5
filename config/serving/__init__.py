"""The server's own half of a request: receiving it, choosing who runs it, sending it.

Nothing here knows the platform; ``asgi.py`` puts it around the WSGI application.
"""
