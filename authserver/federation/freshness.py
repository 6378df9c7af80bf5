"""When a person last proved to the provider who they are, by the provider's own words."""

import time

from authserver.federation.refusals import ArrivalRefused


def proved_at(said: float | None, *, asked_at: float | None, leeway: int) -> float:
    """Return the moment (Unix time), or 0 where the provider does not say.

    ``asked_at`` is when the provider was asked for a new sign-in. An earlier one is then
    refused, within ``leeway`` seconds of clock difference. Raises ``ArrivalRefused``.
    """
    now = time.time()
    if said is not None and said > now + leeway:
        raise ArrivalRefused("answer_invalid")
    if asked_at is None:
        return min(said or 0.0, now)
    if said is None or said < int(asked_at) - leeway:  # issuers know whole seconds
        raise ArrivalRefused("sign_in_old")
    return min(max(said, asked_at), now)
