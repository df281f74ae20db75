# One image for web and worker. PyAV's wheel carries FFmpeg, so no system package is needed.
FROM python:3.11-slim-bookworm

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 \
    PIEV_STATE=/var/lib/piev

WORKDIR /srv/piev
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY annotation annotation
COPY generation generation
COPY piev_site piev_site
COPY templates templates
COPY static static
COPY manage.py ./
RUN pip install --constraint constraints.txt --editable ".[postgresql,s3]" \
    && useradd --system --create-home --home-dir /var/lib/piev piev \
    && chown -R piev /var/lib/piev

USER piev
EXPOSE 8000
CMD ["gunicorn", "piev_site.wsgi", "--bind", "0.0.0.0:8000", "--worker-class", "gthread", "--threads", "4", "--workers", "2"]
