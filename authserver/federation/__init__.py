"""People who arrive from their institution's identity provider, by django-allauth."""

from allauth.socialaccount.internal import statekit

from authserver.conf import conf


def prolong_trips() -> None:
    """Let people take longer at their provider than django-allauth does.

    Its ten minutes are no setting; the session that keeps the trip ends by itself.
    """
    statekit.STATE_TTL = int(conf.federation_trip.total_seconds())
