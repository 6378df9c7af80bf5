"""Where static files lie, and what their addresses are."""

import logging

from whitenoise.storage import CompressedManifestStaticFilesStorage

from platform_errors.logging.circuit_breaker import LogThrottle

logger = logging.getLogger(__name__)
_log = LogThrottle()


class StaticFilesStorage(CompressedManifestStaticFilesStorage):
    """WhiteNoise's, for pages that are shown although nothing was collected.

    An unstyled page that says what is wrong is better than none; its own error page would
    fail in the same way.
    """

    def stored_name(self, name: str) -> str:
        """Return the name with its hash, or as it is when it was not collected."""
        try:
            return str(super().stored_name(name))
        except ValueError:
            if not self.hashed_files and _log.is_due():
                logger.error("No static files were collected: run manage.py collectstatic")  # noqa: TRY400 -- no fault to trace
            return name
