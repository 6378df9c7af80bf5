"""The token endpoint on oauthlib, and what the other endpoints of programs share with it.

``server.py`` is oauthlib's endpoint with the grant types, ``validator.py`` its request
validator, ``token_request.py`` what one request gathers on the way.
``client_request.py`` reads what the client sent, ``clients.py`` authenticates it,
``codes.py`` and ``tokens.py`` redeem and issue, ``responses.py`` and ``dialect.py`` word
successes and errors.
"""
