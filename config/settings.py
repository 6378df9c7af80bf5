"""Every setting of the project, in the order a reader needs them.

Variables are named here alone; they come from the environment and a ``.env`` file beside
``manage.py``. ``.env.example`` has each of them; ``docs/operations.md`` explains them.
"""

import os
from pathlib import Path

from authserver.conf import AuthserverConf
from config.adapters import roles
from config.databases import time_limits
from config.demo import keys as demo_keys
from config.environment import addresses
from config.environment.variables import (
    env,
    given,
    mount,
    required,
    secret,
    signing_keys,
)
from config.http import headers
from config.monitoring import access_log
from platform_errors.logging.configuration import log_configuration

BASE_DIR = Path(__file__).resolve().parent.parent

if env.bool("READ_DOT_ENV", True):
    env.read_env(BASE_DIR / ".env", overwrite=False)

# --- What kind of server this is ----------------------------------------------------------

DEBUG = env.bool("DEBUG", False)
DEMO = env.bool("DEMO", False)
HOST = env.str("HOST", "127.0.0.1")
PORT = env.int("PORT", 8000)
WORKERS = env.int("WORKERS", os.cpu_count() or 1)

if DEMO:
    demo_keys.make_missing(os.environ, BASE_DIR / ".demo-keys.env")

SECRET_KEY = required("SECRET_KEY", secret)
# Fernet keys, the first encrypts and all decrypt: secrets of service keys at rest.
ENCRYPTION_KEYS = [
    key.strip() for key in required("ENCRYPTION_KEYS", secret).split(",") if key.strip()
]

# The address that links, the issuer and redirects are built from; never the Host header.
PUBLIC_URL = (
    f"http://{HOST}:{PORT}"
    if DEMO and not env.str("PUBLIC_URL", "")
    else required("PUBLIC_URL")
).rstrip("/")
_public = addresses.parsed(PUBLIC_URL)
IS_HTTPS = _public.scheme == "https"
ISSUER = f"{_public.scheme}://{_public.netloc}"

ALLOWED_HOSTS = env.list(
    "ALLOWED_HOSTS",
    default=[_public.hostname, *(["127.0.0.1", "localhost", "[::1]"] if DEMO else [])],
)
# Networks (CIDR) of proxies in front: X-Forwarded-For, X-Forwarded-Proto and request
# identifiers are believed from them alone. Under an https PUBLIC_URL only what they
# received over https is served; links and cookies follow PUBLIC_URL either way.
TRUSTED_PROXIES = env.list("TRUSTED_PROXIES", default=[])

# Where to report a vulnerability: addresses with mailto:, https: or tel: (RFC 9116).
SECURITY_CONTACT = addresses.contacts(env.list("SECURITY_CONTACT", default=[]))

# --- Addresses and names (decisions 1) ----------------------------------------------------

AUTH_MOUNT = mount("AUTH_MOUNT", "oauth2/")
BASE_MOUNT = mount("BASE_MOUNT", "")
VENDOR_NS = env.str("VENDOR_NS", "platform").strip("/")
_PLATFORM = f"/{BASE_MOUNT}{VENDOR_NS}"
# Settings that platform_errors and authserver have in common.
_SHARED = {"ISSUER": ISSUER, **given(env.str, "PRINCIPAL_NS_PREFIX")}

# --- Django -------------------------------------------------------------------------------

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
APPEND_SLASH = False  # every API path answers with and without one; a redirect loses a body
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    "authserver.apps.PlatformAdminConfig",  # django.contrib.admin
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.postgres",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "csp",
    "django_filters",
    "django_tasks",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "authserver",  # before oauth2_provider, whose cleartokens it replaces
    "oauth2_provider",
    "allauth",  # after authserver, whose templates and pages of admin replace its own
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.socialaccount.providers.saml",
    "rest_framework",
    "simple_history",
    "institution_admin",
    "platform_errors",
    "calendar_events",
    "config",
    "django_tasks_db",  # after config, whose db_worker is used
]

MIDDLEWARE = [
    # First, so that every answer carries the request identifier, static files included.
    "platform_errors.http.request_id.RequestIdMiddleware",
    "config.monitoring.middleware.MonitoringMiddleware",
    "config.http.health.HealthMiddleware",
    # Before all that refuses or answers early.
    "django.middleware.security.SecurityMiddleware",
    "config.http.middleware.ContentSecurityPolicyMiddleware",
    "platform_errors.errors.log.RefusalLogMiddleware",
    "platform_errors.http.cors.CorsMiddleware",
    "config.http.middleware.HttpsMiddleware",
    "config.http.middleware.OverloadMiddleware",
    "platform_errors.http.cookies.CookielessMiddleware",
    "platform_errors.throttling.RateLimitMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.common.CommonMiddleware",  # refuses a Host that is not ours
    "django.contrib.sessions.middleware.SessionMiddleware",
    "authserver.middleware.AdminQueryMiddleware",
    "authserver.middleware.OriginMiddleware",  # before the check that it is for
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "config.http.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "config.http.middleware.HistoryMiddleware",
    "authserver.middleware.LoginLimitMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# --- Database and cache -------------------------------------------------------------------

DATABASES = {
    "default": env.db_url_config(
        secret("DATABASE_URL", f"sqlite:///{BASE_DIR / 'db.sqlite3'}")
    )
}
if _replica := secret("DATABASE_REPLICA_URL"):
    DATABASES["replica"] = env.db_url_config(_replica) | {"TEST": {"MIRROR": "default"}}
    DATABASE_ROUTERS = ["config.databases.replica.ReplicaRouter"]
    MIDDLEWARE.append("config.databases.replica.ReplicaMiddleware")
_limits = time_limits.Limits(
    statement=env.int("STATEMENT_TIMEOUT_SECONDS", 15),
    lock=env.int("LOCK_TIMEOUT_SECONDS", 5),
    idle_in_transaction=env.int("IDLE_IN_TRANSACTION_TIMEOUT_SECONDS", 15),
    connect=env.int("CONNECT_TIMEOUT_SECONDS", 3),
)
# What serves requests (config/wsgi.py says so) goes through PgBouncer in transaction mode,
# where there is one. Commands use DATABASE_URL: they need sessions, and other time limits.
_serves = os.environ.get("SERVES_REQUESTS") == "1"
_pool = (
    time_limits.pool_entry(env.db_url_config(url))
    if (url := secret("DATABASE_POOL_URL"))
    else None
)
if _pool and _serves:
    DATABASES["default"] = _pool
for _database in DATABASES.values():
    time_limits.configure(
        _database, _limits if _serves else time_limits.of_commands(_limits)
    )
if DATABASES["default"] is _pool:
    time_limits.configure_pooled(_pool, prepares=env.bool("DATABASE_POOL_PREPARES", False))
# Where `manage.py serve` finds the pool, and what it makes the defaults of its role.
DATABASE_POOL = _pool
DATABASE_POOL_LIMITS = _limits.of_session()
# How many seconds `manage.py serve` waits for a PostgreSQL that is not up yet.
DATABASE_WAIT_SECONDS = env.int("DATABASE_WAIT_SECONDS", 60)

# Limits are counted in it: a table, unless there is a faster one that all processes share.
CACHES = {
    "default": env.cache_url_config(
        secret("CACHE_URL", "dbcache://shared_cache?max_entries=50000")
    )
}
time_limits.configure_cache(CACHES["default"], env.float("CACHE_TIMEOUT_SECONDS", 1.0))

# --- Who logs in --------------------------------------------------------------------------

AUTH_USER_MODEL = "authserver.User"
AUTHENTICATION_BACKENDS = [
    "authserver.accounts.backends.InstitutionBackend",
    "authserver.accounts.backends.LoginBackend",
]
# Argon2id at OWASP's minimum (19 MiB, two passes, one lane); see accounts/hashers.py.
PASSWORD_HASHERS = [
    "authserver.accounts.hashers.Argon2idPasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": name, "OPTIONS": options}
    for name, options in (
        ("django.contrib.auth.password_validation.UserAttributeSimilarityValidator", {}),
        (
            "django.contrib.auth.password_validation.MinimumLengthValidator",
            {"min_length": 12},
        ),
        ("django.contrib.auth.password_validation.CommonPasswordValidator", {}),
        ("django.contrib.auth.password_validation.NumericPasswordValidator", {}),
        (
            "authserver.accounts.password_words.KnownWordsValidator",
            {"words": ("calendar", VENDOR_NS, *(_public.hostname or "").split("."))},
        ),
    )
]
LOGIN_URL = "admin:login"

# django-allauth: what authserver.checks asks for (docs/authorization-server.md).
ACCOUNT_ADAPTER = "authserver.accounts.adapter.AccountAdapter"
ACCOUNT_USER_MODEL_USERNAME_FIELD = "login"
ACCOUNT_CHANGE_EMAIL = True  # one address; another takes its place once it is confirmed
ACCOUNT_UNIQUE_EMAIL = False  # two institutions may know a person by one address
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_FORMS = {"user_token": "authserver.accounts.password_links.LinkForm"}
_window = f"{env.int('LOGIN_WINDOW_SECONDS', 900)}s"
_mails = f"{env.int('PASSWORD_MAIL_WINDOW_SECONDS', 3600)}s"
ACCOUNT_RATE_LIMITS = {  # counted in the default cache, which all processes share
    "login_failed": f"{env.int('LOGIN_FAILURES_PER_ACCOUNT', 10)}/{_window}/key,"
    f"{env.int('LOGIN_FAILURES_PER_ADDRESS', 100)}/{_window}/ip",
    "manage_email": "5/h/user",
    "change_password": "",  # guesses of the old one count as logins
    "reset_password": f"{env.int('PASSWORD_MAILS_PER_ADDRESS', 30)}/{_mails}/ip",
    "password_mail": f"{env.int('PASSWORD_MAILS_PER_ACCOUNT', 3)}/{_mails}/user",
}
MFA_ADAPTER = "authserver.accounts.adapter.FactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_ALLOW_UNVERIFIED_EMAIL = True
ACCOUNT_AUTHENTICATED_LOGIN_REDIRECTS = False
SOCIALACCOUNT_ADAPTER = "authserver.federation.adapter.FederationAdapter"
SOCIALACCOUNT_PROVIDERS = {
    "openid_connect": {"provider_class": "authserver.federation.oidc.IssuerProvider"},
    "saml": {"provider_class": "authserver.federation.saml.SamlProvider"},
}

# --- Mail: without EMAIL_URL nothing is offered that needs it -----------------------------

_mail = env.email_url_config(
    secret("EMAIL_URL", "consolemail://" if DEMO else "dummymail://")
)
EMAIL_BACKEND = _mail["EMAIL_BACKEND"]
EMAIL_HOST = _mail["EMAIL_HOST"] or "localhost"
EMAIL_PORT = _mail["EMAIL_PORT"] or 25
EMAIL_HOST_USER = _mail["EMAIL_HOST_USER"] or ""
EMAIL_HOST_PASSWORD = _mail["EMAIL_HOST_PASSWORD"] or ""
EMAIL_FILE_PATH = _mail["EMAIL_FILE_PATH"] or None
EMAIL_USE_TLS = bool(_mail.get("EMAIL_USE_TLS", False))
EMAIL_USE_SSL = bool(_mail.get("EMAIL_USE_SSL", False))
EMAIL_TIMEOUT = env.int("EMAIL_TIMEOUT_SECONDS", 10)
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", f"no-reply@{_public.hostname}")
PASSWORD_RESET_TIMEOUT = env.int("PASSWORD_RESET_TIMEOUT", 24 * 3600)

# --- Transport and cookies follow the scheme of PUBLIC_URL --------------------------------

SESSION_COOKIE_NAME = "__Host-session" if IS_HTTPS else "session"
CSRF_COOKIE_NAME = "__Host-csrf" if IS_HTTPS else "csrf"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = IS_HTTPS
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_AGE = None  # until the browser is closed
SESSION_COOKIE_AGE = env.int(
    "SESSION_ABSOLUTE_SECONDS", AuthserverConf.defaults()["SESSION_ABSOLUTE_SECONDS"]
)
SESSION_ENGINE = "authserver.accounts.sessions"  # rows, with an idle and an absolute end
CSRF_TRUSTED_ORIGINS = [ISSUER]
MESSAGE_STORAGE = "config.http.messages.MessageStorage"
CSRF_FAILURE_VIEW = "authserver.views.pages.failures.csrf_failure"
SECURE_HSTS_SECONDS = env.int("HSTS_SECONDS", 31_536_000) if IS_HTTPS else 0
# Browsers would refuse plain http for all names below ours, for as long: ask first.
SECURE_HSTS_INCLUDE_SUBDOMAINS = env.bool("HSTS_INCLUDE_SUBDOMAINS", False)
SECURE_HSTS_PRELOAD = env.bool("HSTS_PRELOAD", False)
SECURE_REFERRER_POLICY = "no-referrer"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if TRUSTED_PROXIES else None
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
    },
}

DATA_UPLOAD_MAX_MEMORY_SIZE = env.int("MAX_BODY_BYTES", 1024 * 1024)

# --- What the server waits for (config/serving) -------------------------------------------

THREADS = env.int("THREADS", 4)  # of each worker process
CONNECTIONS = env.int("CONNECTIONS", 1000)  # of each worker process
# That wait for a thread of a worker process; more are refused with 503.
WAITING_REQUESTS = env.int("WAITING_REQUESTS", 100)
HEAD_SECONDS = env.int("HEAD_SECONDS", 10)  # a request's head; also between two requests
BODY_PAUSE_SECONDS = env.int("BODY_PAUSE_SECONDS", 20)
BODY_TOTAL_SECONDS = env.int("BODY_TOTAL_SECONDS", 60)
SEND_PAUSE_SECONDS = env.int("SEND_PAUSE_SECONDS", 20)

# --- Background work (config/background) --------------------------------------------------

TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}
# A thread in each process that serves; without it run `manage.py db_worker`.
EMBEDDED_WORKER = env.bool("EMBEDDED_WORKER", True)
TASK_POLL_SECONDS = env.float("TASK_POLL_SECONDS", 1.0)
# Longer than any task takes: then its worker is lost.
TASK_LEASE_SECONDS = env.float("TASK_LEASE_SECONDS", 300.0)
TASK_ATTEMPTS = env.int("TASK_ATTEMPTS", 6)
TASK_RETRY_SECONDS = env.float("TASK_RETRY_SECONDS", 60.0)
TASK_DAYS = env.int("TASK_DAYS", 14)

# --- Language and time --------------------------------------------------------------------

LANGUAGE_CODE = "en-us"
USE_I18N = False
USE_TZ = True
TIME_ZONE = env.str("TIME_ZONE", "UTC")

# --- Files --------------------------------------------------------------------------------

STATIC_URL = "/static/"
STATIC_ROOT = Path(env.str("STATIC_ROOT", str(BASE_DIR / "staticfiles")))
MEDIA_URL = "/media/"
MEDIA_ROOT = Path(env.str("MEDIA_ROOT", str(BASE_DIR / "media")))
WHITENOISE_ADD_HEADERS_FUNCTION = headers.for_static_file
WHITENOISE_ALLOW_ALL_ORIGINS = False
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.http.static_files.StaticFilesStorage"},
}

# --- platform_errors: who is calling, and how we say no -----------------------------------

PLATFORM_ERRORS = {
    "KEY_STORE": "authserver.keys.store.ServiceKeyStore",
    "TRUSTED_PROXIES": TRUSTED_PROXIES,
    **_SHARED,
    "ERROR_DOCUMENTATION_URL": f"{PUBLIC_URL}/docs/errors.html" if DEMO else "",
    **given(env.int, "MAX_CLOCK_SKEW_SECONDS"),
    **given(
        env.str,
        *("HMAC_SCHEME_URL", "HMAC_SIGNATURE_URL", "ERROR_RESPONSE_NS"),
        *("REQUEST_ID_HEADER", "REASON_HEADER", "ERROR_DOCUMENTATION_URL"),
    ),
    **addresses.edge_addresses(
        platform=_PLATFORM, auth=f"/{AUTH_MOUNT}", public_url=PUBLIC_URL
    ),
    "CORS_EXPOSED_HEADERS": (
        *("ETag", "Last-Modified", "Location", "Link", "Allow"),
        *("X-TEC-Total", "X-TEC-TotalPages"),  # the calendar's, in its lists
        *("WWW-Authenticate", "Retry-After"),
    ),
    # Requests per second, minute, hour or day, such as 600/minute; empty means no limit.
    "RATE_LIMITS": {
        "address": env.str("RATE_LIMIT_ADDRESS", ""),
        "key": env.str("RATE_LIMIT_KEY", ""),
    },
}

# --- authserver: institutions, keys, tokens -----------------------------------------------

AUTHSERVER = {
    "ENCRYPTION_KEYS": ENCRYPTION_KEYS,
    "ROLES": roles.IN_WORDS,
    "SENDS_MAIL": not EMAIL_BACKEND.endswith("dummy.EmailBackend"),
    **_SHARED,
    # The cast of the demonstration signs in with the passwords that are written down.
    **({"PLATFORM_NEEDS_SECOND_FACTOR": False} if DEMO else {}),
    **given(env.bool, "PASSWORD_CHANGE_REVOKES_TOKENS", "PLATFORM_NEEDS_SECOND_FACTOR"),
    **({"FEDERATION_NETWORKS": ["127.0.0.0/8"]} if DEMO else {}),  # its issuer
    **given(env.list, "FEDERATION_NETWORKS"),
    **given(env.float, "FEDERATION_SECONDS"),
    **given(
        env.int,
        *("ACCESS_TOKEN_SECONDS", "CODE_SECONDS", "REFRESH_TOKEN_SECONDS"),
        *("PENDING_REQUEST_SECONDS", "CONSENT_DAYS", "AUDIT_DAYS"),
        *("WRONG_VERIFIERS_PER_CODE", "CLIENT_FAILURES_PER_ADDRESS"),
        *("CLIENT_FAILURE_WINDOW_SECONDS", "SESSION_IDLE_SECONDS"),
        *("SESSION_ABSOLUTE_SECONDS", "FRESH_SIGN_IN_SECONDS"),
        *("KEY_USE_SECONDS", "KEY_REFUSALS", "KEY_REFUSAL_DAYS", "SECRET_LINK_HOURS"),
        *("FEDERATION_AT_ONCE", "FEDERATION_MAX_BYTES", "FEDERATION_TRIP_SECONDS"),
        "INVITATION_DAYS",
    ),
}
OAUTH2_PROVIDER_APPLICATION_MODEL = "authserver.ServiceKey"
OAUTH2_PROVIDER_GRANT_MODEL = "authserver.Grant"
OAUTH2_PROVIDER_ACCESS_TOKEN_MODEL = "authserver.AccessToken"  # noqa: S105 -- a model
OAUTH2_PROVIDER_REFRESH_TOKEN_MODEL = "authserver.RefreshToken"  # noqa: S105 -- a model
OAUTH2_PROVIDER_ID_TOKEN_MODEL = "authserver.IDToken"  # noqa: S105 -- a model
# Private keys of ID tokens: the first signs, the others are published until what they
# signed has expired. Without any there is no OpenID Connect.
_signing_keys = signing_keys(secret("OIDC_SIGNING_KEYS"))
OAUTH2_PROVIDER = {
    # RFC 9700, for what authserver inherits; the toolkit's checks ask for it (deploy).
    "COMPLIANT_BCP_RFC9700_ACCESS_TOKEN_TRANSPORT": True,
    "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
    "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
    "COMPLIANT_BCP_RFC9700_PKCE_REQUIRED": True,
    "COMPLIANT_BCP_RFC9700_REDIRECT_URI_MATCHING": True,
    "COMPLIANT_BCP_RFC9700_REFRESH_TOKEN": True,
    "COMPLIANT_BCP_RFC9700_TOKEN_STORAGE": True,
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    "OIDC_ENABLED": bool(_signing_keys),
    "OIDC_ISS_ENDPOINT": ISSUER,
    "OIDC_RSA_PRIVATE_KEY": _signing_keys[0] if _signing_keys else "",
    "OIDC_RSA_PRIVATE_KEYS_INACTIVE": _signing_keys[1:],
    "ID_TOKEN_EXPIRE_SECONDS": env.int("ID_TOKEN_SECONDS", 3600),
    "OIDC_RP_INITIATED_LOGOUT_ENABLED": bool(_signing_keys),
    # Tokens end when people withdraw an application's access, not when they sign out.
    "OIDC_RP_INITIATED_LOGOUT_DELETE_TOKENS": False,
    "OIDC_RP_INITIATED_LOGOUT_ALWAYS_PROMPT": False,
    "OIDC_RP_INITIATED_LOGOUT_STRICT_REDIRECT_URIS": False,
    "OAUTH2_SERVER_CLASS": "authserver.oauth.server.Server",
    "OAUTH2_VALIDATOR_CLASS": "authserver.oauth.validator.Validator",
    "APPLICATION_ADMIN_CLASS": "authserver.admin.service_key.ServiceKeyAdmin",
    "GRANT_ADMIN_CLASS": "authserver.admin.token.GrantAdmin",
    "ACCESS_TOKEN_ADMIN_CLASS": "authserver.admin.token.AccessTokenAdmin",
    "REFRESH_TOKEN_ADMIN_CLASS": "authserver.admin.token.RefreshTokenAdmin",
    "ID_TOKEN_ADMIN_CLASS": "authserver.admin.token.IDTokenAdmin",
}
SILENCED_SYSTEM_CHECKS = [
    # Native applications use http loopback addresses; authserver refuses http elsewhere.
    "oauth2_provider.W008",
    # HttpsMiddleware sees to plain http: Django's own redirect loses a POST's body, and
    # would teach programs that a secret sent in the clear works.
    "security.W008",
    *(["platform_errors.W002"] if "replica" in DATABASES else []),  # see REST_FRAMEWORK
    # Whether HSTS is for all subdomains, and for the lists in browsers, operators decide.
    "security.W005",
    "security.W021",
]

# --- calendar_events ----------------------------------------------------------------------

CALENDAR_EVENTS = {
    "VENDOR_NS": VENDOR_NS,
    "ROOT_PATH": f"{_PLATFORM}/events/v1",
    "PUBLIC_URL": PUBLIC_URL,
    "INSTITUTIONS": "config.adapters.institutions.names",
    "ENCRYPTION": "authserver.crypto.encryption",
    **given(env.str, "CURRENCY"),
    **given(env.list, "IMAGE_FETCH_NETWORKS", "WEBHOOK_NETWORKS"),
    **given(env.bool, "WEBHOOK_HTTP"),
    **given(
        env.int,
        *("FEEDS_AT_ONCE", "IDEMPOTENCY_HOURS", "SCANS_AT_ONCE"),
        *("CHANGES_DAYS", "CHANGES_WAITING"),
        *("MAX_HTML", "MAX_TAGS"),
        *("SERIES_HORIZON_MONTHS", "SERIES_MAX_OCCURRENCES"),
        *("IMAGE_MAX_BYTES", "IMAGE_FETCH_SECONDS", "IMAGE_FETCHES_AT_ONCE"),
        *("WEBHOOK_SECONDS", "WEBHOOKS_AT_ONCE", "WEBHOOKS_PER_KEY"),
        *("WEBHOOK_OVERLAP_HOURS", "WEBHOOK_DAYS"),
    ),
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "platform_errors.authentication.BearerAuthentication",
        "platform_errors.authentication.HmacAuthentication",
    ],
    # A view that forgets to say what it requires is closed to anonymous callers.
    "DEFAULT_PERMISSION_CLASSES": ["platform_errors.permissions.RequiresCredentials"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "platform_errors.renderers.QualityNegotiation",
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": [
        "platform_errors.parsers.JsonParser",
        "platform_errors.parsers.FormParser",
    ],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_THROTTLE_CLASSES": ["platform_errors.throttling.KeyRateLimit"],
    # The replica's adds one case to that of platform_errors.
    "EXCEPTION_HANDLER": (
        "config.databases.replica.handle"
        if "replica" in DATABASES
        else "platform_errors.errors.handler.handle"
    ),
    "URL_FORMAT_OVERRIDE": None,
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Calendar events",
    "VERSION": "1.0.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "PREPROCESSING_HOOKS": ["calendar_events.api.schema.document.tidy_paths"],
    "ENUM_NAME_OVERRIDES": {
        "StatusEnum": "calendar_events.models.Status.values",
        "SubscriptionStatusEnum": "calendar_events.models.WebhookSubscription.Status",
    },
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}

# --- Logs ---------------------------------------------------------------------------------

LOG_LEVEL = env.str("LOG_LEVEL", "INFO")
LOG_FORMAT = env.str("LOG_FORMAT", "plain" if DEBUG or DEMO else "json")
LOGGING = log_configuration(LOG_LEVEL, formatter=LOG_FORMAT)
LOGGING["loggers"]["django_tasks_db"] = {"level": "WARNING"}  # each look at the queue

# --- Monitoring (config/monitoring) -------------------------------------------------------

ACCESS_LOG = env.bool("ACCESS_LOG", True)
for _part, _entries in access_log.log_configuration(
    is_on=ACCESS_LOG, formatter=LOG_FORMAT
).items():
    LOGGING[_part].update(_entries)
# Metrics for Prometheus, without a password; 0: nowhere.
METRICS_HOST = env.str("METRICS_HOST", "127.0.0.1")
METRICS_PORT = env.int("METRICS_PORT", 0)
# Traces in OpenTelemetry's form, sent where its own variables (OTEL_…) say.
TRACES = env.bool("TRACES", False)
if TRACES:
    # Outside of the access log, whose line names the trace.
    MIDDLEWARE.insert(1, "config.monitoring.tracing.TracingMiddleware")
