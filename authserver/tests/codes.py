"""The codes that an authenticator app shows."""

import time

from allauth.mfa.totp.internal import auth


def code_of(secret, ahead=0):
    """Return the code of now, or of some periods of thirty seconds later."""
    counter = int(time.time()) // 30 + ahead
    return auth.format_hotp_value(auth.hotp_value(secret, counter))
