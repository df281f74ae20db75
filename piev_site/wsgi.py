"""The WSGI entry point that gunicorn serves."""

import gc
import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.wsgi import get_wsgi_application
from django.urls import reverse

# With any other status gunicorn would start the same worker again, for ever.
GUNICORN_BOOT_ERROR = 3

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "piev_site.settings")
os.umask(0o077)  # what the site writes is for its own account

# What is loaded here stays. To look through it for what could go is a fifth of the work of a start,
# and in the processes that are forked afterwards it would copy their memory.
gc.disable()
try:
    application = get_wsgi_application()
    # Loads all pages now; else the first request of each process would wait for it.
    reverse("login")
except ImproperlyConfigured as error:
    sys.stderr.write(f"{error}\n")
    sys.exit(GUNICORN_BOOT_ERROR)
gc.freeze()
gc.enable()
