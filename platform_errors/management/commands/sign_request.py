"""``manage.py sign_request``: the Authorization header of a signed request, for curl."""

import secrets
import time
from argparse import ArgumentParser
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs

from django.core.management.base import BaseCommand, CommandError

from platform_errors.conf import conf
from platform_errors.credentials import ServiceKey
from platform_errors.keys import SecretUnreadable, get_key_store
from platform_errors.signing import algorithm, canonicalization


class Command(BaseCommand):
    """Sign METHOD and URL with the secret of a service key.

    Use it as ``curl -H "$(manage.py sign_request GET "$url" --key demo-hmac)" "$url"``.
    """

    help = "Print the Authorization header of a signed request, ready for curl -H."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("method", metavar="METHOD")
        parser.add_argument("url", metavar="URL", help="with its query string, as sent")
        parser.add_argument("--key", required=True, help="the clientId")
        parser.add_argument(
            "--principal", default="", help="principalID of the acting user"
        )
        parser.add_argument(
            "--principal-ns",
            default="",
            help="principalIDNS; by default that of the contextInstitutionId in URL, or of "
            "the key's only institution",
        )
        parser.add_argument("--timestamp", help="Unix seconds; by default now")
        parser.add_argument("--nonce", help="by default random")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print. Raises ``CommandError`` for a key that is unknown or cannot sign."""
        try:
            lookup = get_key_store().find_key(options["key"])
        except SecretUnreadable as error:
            raise CommandError(
                f"The secret of service key {options['key']} cannot be decrypted here: it "
                "was encrypted with a key that this installation does not have."
            ) from error
        if lookup is None:
            raise CommandError(f"There is no service key {options['key']}.")
        if not lookup.key.secrets:
            raise CommandError(f"Service key {options['key']} has no secret to sign with.")
        query = options["url"].partition("#")[0].partition("?")[2]
        unsigned = algorithm.SignedHeader(
            client_id=lookup.key.client_id,
            timestamp=options["timestamp"] or str(int(time.time())),
            nonce=options["nonce"] or secrets.token_hex(16),
            signature="",
            principal_id=options["principal"],
            principal_namespace=self._namespace(options, query, lookup.key),
        )
        try:
            message = algorithm.string_to_sign(
                unsigned,
                method=options["method"],
                target=algorithm.signature_target(conf.hmac_signature_url),
                query_lines=canonicalization.canonical_query(query.encode()),
            )
        except ValueError as error:
            raise CommandError(str(error)) from error
        header = replace(unsigned, signature=algorithm.sign(message, lookup.key.secrets[0]))
        value = algorithm.build_header(header, scheme=conf.hmac_scheme_url)
        self.stdout.write(f"Authorization: {value}")

    def _namespace(self, options: dict[str, Any], query: str, key: ServiceKey) -> str:
        """Return the stated namespace, or the one that the request's institution gives."""
        if not options["principal"] or options["principal_ns"]:
            return str(options["principal_ns"])
        named = parse_qs(query).get("contextInstitutionId", [])
        if not named and len(key.institutions) == 1:
            named = list(key.institutions)
        if not named:
            raise CommandError(
                "The key has several institutions: name the user's namespace with "
                "--principal-ns, or the institution with contextInstitutionId in URL."
            )
        return f"{conf.principal_ns_prefix}{named[0]}"
