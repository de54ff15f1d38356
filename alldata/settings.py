"""Every setting, read from the environment once. Nothing else reads it but wiring.py.

A secret NAME comes from NAME or from the file that NAME_FILE names; there are no default
secrets. docs/configuration.md lists all variables.
"""

import os
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured
from django.templatetags.static import static

BASE_DIR = Path(__file__).resolve().parent.parent


def secret(name: str) -> str:
    """The secret from the environment or from its file; loud when there is neither."""
    if value := os.environ.get(name):
        return value
    path = os.environ.get(f"{name}_FILE")
    if not path:
        raise ImproperlyConfigured(f"set {name} or {name}_FILE (`make up` creates one for you)")
    try:
        return Path(path).read_text().strip()
    except OSError as failure:
        raise ImproperlyConfigured(f"{name}_FILE={path} cannot be read: {failure}") from failure


def package(name: str) -> Path:
    """Where an installed package lies, found without importing it."""
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise ImproperlyConfigured(f"the package {name} is not installed")
    return Path(spec.origin).parent


def database(url: str) -> dict[str, object]:
    """Django's database settings of postgres://user:password@host:port/name."""
    parts = urlsplit(url)
    if parts.scheme not in ("postgres", "postgresql"):
        raise ImproperlyConfigured("DATABASE_URL must start with postgres://")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parts.path.lstrip("/"),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": 600,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {"connect_timeout": 5, "application_name": "alldata"},
    }


DATA_DIR = Path(os.environ.get("ALLDATA_DATA_DIR", BASE_DIR / "var"))
RUNS_DIR = Path(os.environ.get("ALLDATA_RUNS_DIR", DATA_DIR / "runs"))
ARTIFACTS_DIR = Path(os.environ.get("ALLDATA_ARTIFACTS_DIR", DATA_DIR / "artifacts"))
SECRET_KEY = secret("ALLDATA_SECRET_KEY")
AGENT_KEY = secret("ALLDATA_AGENT_KEY")
NODE_NAME = os.environ.get("ALLDATA_NODE", "")
DEBUG = os.environ.get("ALLDATA_DEBUG") == "1"
ALLOWED_HOSTS = os.environ.get("ALLDATA_ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]").split(",")
CSRF_TRUSTED_ORIGINS = [o for o in os.environ.get("ALLDATA_ORIGINS", "").split(",") if o]
BEHIND_TLS = os.environ.get("ALLDATA_TLS") == "1"

INSTALLED_APPS = [
    "unfold",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "alldata.outbox",
    "alldata.tenancy",
    "profiles",
    "scheduling",
    "monitoring",
    "costing",
    "alldata.portal",
]

#: Paths that go straight to a view, past all middleware but the first.
DIRECT_DOORS = {"/api/v1/agents/frames": "monitoring.api.agents.agent_frames"}
MIDDLEWARE = [
    "alldata.web.middleware.DirectDoors",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "alldata.web.middleware.SecurityHeaders",
    "alldata.tenancy.middleware.ViewerOfRequest",
]

ROOT_URLCONF = "alldata.urls"
WSGI_APPLICATION = "alldata.wsgi.application"
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
                "django.template.context_processors.i18n",
                "alldata.portal.context.shell",
            ],
        },
    },
]

DATABASES = {"default": database(os.environ.get("DATABASE_URL", "postgres://127.0.0.1/alldata"))}
REDIS_URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")
CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}}

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
]
LOGIN_URL = "/sign-in/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/sign-in/"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = BEHIND_TLS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_TLS else None
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [BASE_DIR / "locale"]
LANGUAGE_COOKIE_NAME = "language"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
#: Where `collectstatic` puts files in production; without it they are served from the packages.
STATIC_ROOT = os.environ.get("ALLDATA_STATIC_ROOT") or None
#: plotly's own bundle, straight from its package: no CDN, no copy in the repository.
STATICFILES_DIRS = [BASE_DIR / "static", ("plotly", package("plotly") / "package_data")]
WHITENOISE_USE_FINDERS = not STATIC_ROOT
WHITENOISE_KEEP_ONLY_HASHED_FILES = True
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "alldata.web.static.HashedFiles"
        if STATIC_ROOT
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
WHITENOISE_AUTOREFRESH = DEBUG
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["alldata.tenancy.auth.TokenAuth", "alldata.tenancy.auth.SessionAuth"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "alldata.web.problems.handle",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "AllData",
    "DESCRIPTION": "Submit, place, run, serve and price AI work on mixed hardware.",
    "VERSION": "1.0.0",
    "OAS_VERSION": "3.1.0",
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SERVE_AUTHENTICATION": [],
    "SCHEMA_PATH_PREFIX": "/api/v1",
}
UNFOLD = {
    "SITE_TITLE": "AllData console",
    "SITE_HEADER": "AllData",
    "SITE_URL": "/",
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": lambda request: static("mark.svg")}],
}

CELERY = {
    "broker_url": REDIS_URL,
    "broker_connection_retry_on_startup": True,
    "broker_connection_timeout": 1,
    "broker_transport_options": {
        "visibility_timeout": 60,
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        "socket_connect_timeout": 1,
        "socket_timeout": 10,
    },
    "task_acks_late": True,
    "task_reject_on_worker_lost": True,
    "task_ignore_result": True,
    "worker_prefetch_multiplier": 1,
    "worker_send_task_events": False,
    "worker_hijack_root_logger": False,
    # Upper case on purpose: the Django fixup reads exactly this key from app.conf.
    "CELERY_DB_REUSE_MAX": 1000,
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": os.environ.get("ALLDATA_LOG_LEVEL", "INFO")},
    "loggers": {"httpx": {"level": "WARNING"}, "celery.app.trace": {"level": "WARNING"}},
}
