"""What ``startproject`` and the toolkit's tutorial give, with persistent connections."""

import environ

env = environ.Env()

SECRET_KEY = env.str("SECRET_KEY")
ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "benchmarks.yardsticks.stock.urls"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "oauth2_provider",
    "rest_framework",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
DATABASES = {
    "default": {
        **env.db_url("DATABASE_URL"),
        "CONN_MAX_AGE": None,
        "CONN_HEALTH_CHECKS": True,
    }
}
OAUTH2_PROVIDER = {"PKCE_REQUIRED": True, "SCOPES": {"calendar_events": "Calendar events"}}
