"""Everything that speaks oauthlib's dialect, and django-oauth-toolkit's.

``server.py`` builds oauthlib's endpoint with our grant types, ``validator.py`` answers its
questions, ``exchange.py`` is what one request gathers on the way. ``client_request.py``
reads what the client sent, ``clients.py`` believes it or not, ``codes.py`` and
``tokens.py`` redeem and issue,
``responses.py`` the shapes that go back and ``dialect.py`` those of errors.
"""
