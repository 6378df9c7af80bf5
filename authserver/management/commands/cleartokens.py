"""``cleartokens`` of django-oauth-toolkit, which would delete live refresh tokens here.

Refresh tokens of this server have no ``access_token``, which the toolkit takes for an
orphan; and a redeemed code must stay as long as the tokens issued from it (RFC 6749 section
4.1.2).
"""

from authserver.management.commands.clear_expired import Command

__all__ = ["Command"]
