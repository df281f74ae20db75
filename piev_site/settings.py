"""Every setting of the site, in one file, from the environment.

A variable that is set to something unusable stops the start with a message that names it; nothing
falls back in silence. `docs/administrators.md` lists the variables.
"""

import os
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from piev_site.environment import (
    OWNER_ONLY_FILE,
    absolute_database_url,
    database,
    env_bool,
    env_choice,
    env_folder,
    env_http_url,
    env_int,
    env_list,
    env_secret,
    env_storage_prefix,
    env_text,
    env_video_roots,
    make_state_folder,
    secret_key,
    user_data_folder,
)

BASE_DIR = Path(__file__).resolve().parent.parent
# A wheel carries templates and static files in this package; in a checkout they lie beside it.
IS_INSTALLED = Path(__file__).with_name("templates").is_dir()
FRONT_DIR = Path(__file__).resolve().parent if IS_INSTALLED else BASE_DIR

DEBUG = env_bool("DEBUG", default=False)
STATE_FOLDER = env_folder(
    "PIEV_STATE", user_data_folder() / "piev" if IS_INSTALLED else BASE_DIR / "var"
)
make_state_folder(STATE_FOLDER, is_default=not env_text("PIEV_STATE", ""))
# Matplotlib keeps its list of fonts there, and where it cannot it looks for fonts in every process.
os.environ.setdefault("MPLCONFIGDIR", str(STATE_FOLDER / "matplotlib"))
# Read when NumPy and SciPy load, which nothing did yet. The threads of one matrix product wait for
# each other where jobs work side by side, and their number would change figures' last digits.
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"
SECRET_KEY = secret_key(env_secret("SECRET_KEY"), STATE_FOLDER)
SECRET_KEY_FALLBACKS = env_list("SECRET_KEY_FALLBACKS", "")
ALLOWED_HOSTS = env_list("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
CSRF_TRUSTED_ORIGINS = env_list("CSRF_TRUSTED_ORIGINS", "")
IS_BEHIND_HTTPS = env_bool("BEHIND_HTTPS", default=False)

INSTALLED_APPS = [
    "sample.apps.SampleConfig",
    "benchmarks.apps.BenchmarksConfig",
    "generation.apps.GenerationConfig",
    "segments.apps.SegmentsConfig",
    "texts.apps.TextsConfig",
    "annotation.apps.AnnotationConfig",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "django_htmx",
    "rest_framework",
    "rest_framework.authtoken",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "axes",
    "csp",
]

MIDDLEWARE = [
    "piev_site.metrics.MeasuredRequestsMiddleware",
    "piev_site.log_lines.RequestIdMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "piev_site.middleware.CompressedPagesMiddleware",
    "csp.middleware.CSPMiddleware",
    "piev_site.middleware.PrivateAnswersMiddleware",
    "piev_site.middleware.ApiErrorsMiddleware",
    "piev_site.middleware.Utf8FormsMiddleware",
    "piev_site.middleware.SavesInTurnMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "annotation.middleware.FirstPasswordMiddleware",
    "annotation.middleware.KeptFormMiddleware",
    "piev_site.middleware.FormAddressesMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "piev_site.urls"
WSGI_APPLICATION = "piev_site.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [FRONT_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

DATABASE_URL = absolute_database_url(env_text("DATABASE_URL", ""))
# Of each process: two of the web, two of a worker and one beside them, one of the sweeper.
DATABASE_CONNECTIONS = env_int("DATABASE_CONNECTIONS", 4, minimum=2, maximum=200)
# The threads of a worker take turns, and have time; somebody waits for a page.
DATABASE_PATIENCE_S = env_int("DATABASE_PATIENCE_S", 10, minimum=1, maximum=600)
WORKER_DATABASE_PATIENCE_S = env_int("DATABASE_PATIENCE_S", 120, minimum=1, maximum=600)
DATABASES = {
    "default": database(
        DATABASE_URL, STATE_FOLDER / "piev.sqlite3", DATABASE_CONNECTIONS, DATABASE_PATIENCE_S
    )
}
if DATABASE_PASSWORD := env_secret("DATABASE_PASSWORD"):
    DATABASES["default"]["PASSWORD"] = DATABASE_PASSWORD
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "annotation.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "annotation.logins.AccountBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
] + [{"NAME": "annotation.password_changes.EndsApiToken"}]
SESSION_ENGINE = "annotation.logins"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 0.25  # hours
# Failed logins are kept for the lock; who logged in when, and from where, is nobody's business.
AXES_DISABLE_ACCESS_LOG = True
AXES_LOCKOUT_TEMPLATE = "registration/locked.html"
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "/static/"
STATIC_ROOT = STATE_FOLDER / "static"
# The pages that the help shows, and their pictures.
DOCS_DIR = FRONT_DIR / "docs"
STATICFILES_DIRS = [FRONT_DIR / "static", ("docs", DOCS_DIR / "pictures")]
# Served at the addresses that browsers ask for on their own account, such as /favicon.ico.
WHITENOISE_ROOT = FRONT_DIR / "static" / "root"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": (
            "django.contrib.staticfiles.storage.StaticFilesStorage"
            if DEBUG
            else "piev_site.static_files.ModuleManifestStorage"
        )
    },
}
MEDIA_ROOT = env_folder("MEDIA_ROOT", STATE_FOLDER / "media")
# A rater's address of a video answers only that rater and only for so long.
VIDEO_URL_HOURS = env_int("VIDEO_URL_HOURS", 12, minimum=1, maximum=24 * 14)
# Researchers may link videos from below these folders and storage prefixes only; administrators
# from anywhere.
VIDEO_ROOTS = env_video_roots("VIDEO_ROOTS")
# An S3-compatible storage other than Amazon's. Keys come from where AWS's own programs find them.
VIDEO_STORAGE_URL = env_http_url("VIDEO_STORAGE_URL")
VIDEO_STORAGE_REGION = env_text("VIDEO_STORAGE_REGION", "")
VIDEO_STORAGE_ADDRESSING = env_choice(
    "VIDEO_STORAGE_ADDRESSING", "path" if VIDEO_STORAGE_URL else "auto", {"auto", "path", "virtual"}
)
# What the site makes and takes in is kept here, s3://bucket/prefix, instead of below MEDIA_ROOT.
MADE_FILES = env_storage_prefix("MADE_FILES")
# What was fetched from the storage for jobs may fill so much of the disk.
VIDEO_CACHE_MB = env_int("VIDEO_CACHE_MB", 20_000, minimum=100, maximum=100_000_000)
# Researchers may name models on these hosts only (host, or host:port); administrators on any.
TEXT_ENDPOINT_HOSTS = env_list("TEXT_ENDPOINT_HOSTS", "api.openai.com,openrouter.ai")
# Hosts of agents that researchers may name; administrators may name any.
AGENT_HOSTS = env_list("AGENT_HOSTS", "")
VIDEO_ENDPOINT_HOSTS = env_list(
    "VIDEO_ENDPOINT_HOSTS", "openrouter.ai,api.dev.runwayml.com,ark.ap-southeast.bytepluses.com"
)
# Features of recordings may fill so much of the disk, and those of one person so much.
FEATURES_MB = env_int("FEATURES_MB", 100_000, minimum=1, maximum=100_000_000)
FEATURES_MB_PER_PERSON = env_int("FEATURES_MB_PER_PERSON", 20_000, minimum=1, maximum=100_000_000)
UPLOAD_LIMIT_MB = env_int("UPLOAD_LIMIT_MB", 100, minimum=1, maximum=4096)
VIDEO_UPLOAD_LIMIT_MB = env_int("VIDEO_UPLOAD_LIMIT_MB", 4096, minimum=1, maximum=1_000_000)
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024

# A job whose worker is silent for so long goes back on the queue.
# Where the administrator's own backups are put; the status page says how old the newest is.
BACKUP_FOLDER = env_folder("BACKUP_FOLDER", STATE_FOLDER) if env_text("BACKUP_FOLDER", "") else None
JOB_LEASE_SECONDS = env_int("JOB_LEASE_SECONDS", 30, minimum=1, maximum=3600)
# In one process of a worker, while they wait for models, which they do without a connection.
TAKES_AT_ONCE = env_int("TAKES_AT_ONCE", 16, minimum=1, maximum=64)
# How long `serve` waits, when it is stopped, for what its workers have under way at models.
WORKER_STOP_SECONDS = env_int("WORKER_STOP_SECONDS", 100, minimum=1, maximum=3600)
REDIS_URL = env_text("REDIS_URL", "")
QUEUE_FOLDER = STATE_FOLDER / "queue"
if REDIS_URL and urlsplit(REDIS_URL).scheme not in {"redis", "rediss", "redis+socket"}:
    raise ImproperlyConfigured(f"REDIS_URL is {REDIS_URL!r}; expected redis://host:port/number")


def celery_transport() -> dict[str, object]:
    """Return broker options; without Redis, files in a folder carry the messages.

    The visibility timeout exceeds the hard time limit of every task, or Redis would hand a running
    task to a second worker. The job row decides who works (docs/architecture.md).
    """
    if REDIS_URL:
        return {"visibility_timeout": 2 * CELERY_TASK_TIME_LIMIT}
    for part in ("messages", "processed"):
        (QUEUE_FOLDER / part).mkdir(parents=True, exist_ok=True)
    return {
        "data_folder_in": str(QUEUE_FOLDER / "messages"),
        "data_folder_out": str(QUEUE_FOLDER / "messages"),
        "processed_folder": str(QUEUE_FOLDER / "processed"),
        "control_folder": str(QUEUE_FOLDER / "control"),
        "polling_interval": 0.05,
    }


CELERY_TASK_TIME_LIMIT = 3600
CELERY_BROKER_URL = REDIS_URL or "filesystem://"
CELERY_BROKER_TRANSPORT_OPTIONS = celery_transport()
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# For ever: after a hundred attempts, less than a night without Redis, a worker would give up.
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

# The nouns that the API's operations are grouped by: the first part of their address, but for
# clips. Every new noun is described here.
API_NOUNS = {
    "account": "Who you are, and the token for your scripts.",
    "datasets": "Data sets: read them, import files, link and ingest videos.",
    "takes": "Reference recordings with their steps.",
    "traces": "Sequences with mistakes, with their rows and events.",
    "campaigns": "Audits: create, fill, watch and close them, and download the figures.",
    "assignments": "Your own queue as a rater: read, save, submit.",
    "segmentations": "Your segments of recordings: read, save, submit, look back.",
    "text-verdicts": "Texts that you read: read one, answer it blind, give a verdict.",
    "question-sets": "Questions about mistakes: made, read, gone on with.",
    "step-proposals": "Steps proposed from features of recordings, for people to check.",
    "rounds": "Whose answers sort the queues of a round of ratings.",
    "cases": "The disagreement desk: read a case, comment on it, decide it.",
    "gold": "Questions whose right answers are known: read and retire them.",
    "trainings": "Your training rounds: how you did, and another attempt.",
    "ratings": "Ratings from tables and workbooks: import them.",
    "runs": "Generation: launch, watch, stop and resume runs, and read what they made.",
    "clips": "The clips of a take of a run: prompts, uploads, frames.",
    "text-endpoints": "Text models that runs may ask.",
    "video-endpoints": "Providers of video models.",
    "agent-endpoints": "Agents that item sets may be put to.",
    "item-sets": "Benchmarks: make item sets, freeze and download them, read their tables.",
    "feature-sets": "Features of recordings: upload them, or make them of linked videos.",
    "assessments": "Participants of a benchmark: ask models, upload answers, read the figures.",
}
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "rest_framework.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    # Uploads alone are multipart; their endpoints say so.
    "DEFAULT_PARSER_CLASSES": ["piev_site.api.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "piev_site.api.LenientNegotiation",
    "DEFAULT_SCHEMA_CLASS": "piev_site.api_schema.OperationSchema",
    "DEFAULT_PAGINATION_CLASS": "piev_site.api.PagePagination",
    "EXCEPTION_HANDLER": "piev_site.api.exception_handler",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "PIE-V",
    "DESCRIPTION": "Audit and generate mistake-aware procedural videos.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    # What is read and what is sent are two schemas: nobody has to send an id that the site gives.
    "COMPONENT_SPLIT_REQUEST": True,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "piev_site.api_schema.add_refusals",
    ],
    # Several fields are called `kind`.
    "ENUM_NAME_OVERRIDES": {
        "RemarkKindEnum": "annotation.api.ratings.remarks.KINDS",
        "CampaignStateEnum": "annotation.models.campaign.CampaignState",
        "ParticipantKindEnum": "benchmarks.models.assessments.ParticipantKind",
        "RoundKindEnum": "annotation.models.round_kinds.kind_choices",
        "CaseStateEnum": "annotation.models.desk.CaseState",
        "CauseEnum": "annotation.api.ratings.desk.CAUSES",
        "MetricEnum": "annotation.api.campaigns.protocol.METRICS",
        "ScreeningStateEnum": "annotation.models.screening.ScreeningState",
        "GoldSourceEnum": "annotation.api.ratings.gold.MARKED_SOURCES",
        "SegmentSourceEnum": "segments.models.SegmentSource",
        "PublishedAsEnum": "segments.models.PublishedAs",
        "PhaseEnum": "annotation.models.round.Phase",
        "SegmentPhaseEnum": "segments.api.rounds.PHASES",
        "ItemSetPartEnum": "benchmarks.engine.division.PARTS",
    },
    "TAGS": [{"name": noun, "description": text} for noun, text in API_NOUNS.items()],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SERVE_PERMISSIONS": ["rest_framework.permissions.IsAuthenticated"],
}

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "media-src": [SELF],
        "connect-src": [SELF],
        "font-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = IS_BEHIND_HTTPS
CSRF_COOKIE_SECURE = IS_BEHIND_HTTPS
SECURE_SSL_REDIRECT = IS_BEHIND_HTTPS
# Whoever watches the site asks from beside it, without the front server.
SECURE_REDIRECT_EXEMPT = [r"^health/$", r"^metrics$", r"^status\.json$"]
SECURE_HSTS_SECONDS = 31_536_000 if IS_BEHIND_HTTPS else 0
if IS_BEHIND_HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
X_FRAME_OPTIONS = "DENY"
FILE_UPLOAD_TEMP_DIR = tempfile.gettempdir()
FILE_UPLOAD_PERMISSIONS = OWNER_ONLY_FILE

LOG_LEVEL = env_choice("LOG_LEVEL", "info", {"debug", "info", "warning", "error"})
LOG_FORMAT = env_choice("LOG_FORMAT", "plain", {"plain", "json"})
METRICS_TOKEN = env_secret("METRICS_TOKEN")

# Who gets a mail about errors; without anybody none is sent.
ADMINS = [("", address) for address in env_list("ERROR_MAIL_TO", "")]
EMAIL_HOST = env_text("MAIL_SERVER", "localhost")
EMAIL_PORT = env_int("MAIL_PORT", 25, minimum=1, maximum=65_535)
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = env_text("MAIL_USER", ""), env_secret("MAIL_PASSWORD")
EMAIL_USE_TLS = env_bool("MAIL_TLS", default=False)
EMAIL_TIMEOUT = 10
SERVER_EMAIL = env_text("MAIL_FROM", "piev@localhost")
EMAIL_SUBJECT_PREFIX = "[PIE-V] "

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {
            "()": "piev_site.log_lines.PlainLines",
            "fmt": "%(asctime)s %(levelname)s %(name)s: %(message)s",
        },
        "json": {"()": "piev_site.log_lines.JsonLines"},
        "mailed": {"()": "piev_site.log_lines.MailedLines"},
    },
    "filters": {
        "without_queries": {"()": "piev_site.log_filters.WithoutQueries"},
        "without_broker_defaults": {"()": "piev_site.log_filters.WithoutBrokerDefaults"},
        "without_tokens": {"()": "piev_site.log_filters.WithoutTokens"},
        "without_full_disks": {"()": "piev_site.log_filters.WithoutFullDisks"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": LOG_FORMAT,
            "filters": ["without_tokens"],
        },
        "mail": {
            "class": "piev_site.log_lines.ErrorMails",
            "level": "ERROR",
            "formatter": "mailed",
            "filters": ["without_tokens"],
        },
    },
    "root": {
        "handlers": ["console", "mail"],
        "level": LOG_LEVEL.upper(),
    },
    "loggers": {
        "axes": {"level": "WARNING"},
        # It says where the keys of the storage were found.
        "botocore.credentials": {"level": "WARNING"},
        "django.request": {"filters": ["without_full_disks"]},
        # Requests that were refused, such as those of scanners to names that are not the site's:
        # no fault of it, and a mail about them would take the place of one that is.
        "django.security": {"handlers": ["console"], "propagate": False},
        # These two have handlers of their own otherwise, and no others.
        "gunicorn.error": {"handlers": ["console"], "propagate": False},
        "multiprocessing": {"handlers": ["console", "mail"], "propagate": False},
        "httpx2": {"filters": ["without_queries"]},
        "kombu.connection": {"filters": ["without_broker_defaults"]},
    },
}
