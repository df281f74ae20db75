# One image for web and worker. PyAV's wheel carries FFmpeg, so no system package is needed.
FROM python:3.11.13-slim-bookworm

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 \
    PIEV_STATE=/var/lib/piev

WORKDIR /srv/piev
RUN useradd --system --create-home --home-dir /var/lib/piev piev && chmod 700 /var/lib/piev

# Without the extra `torch`, which is larger than all else together.
# The packages come before the code, so that a change of the code does not install them again.
COPY pyproject.toml constraints.txt ./
RUN python -c "import tomllib; project = tomllib.load(open('pyproject.toml', 'rb'))['project']; more = project['optional-dependencies']; print(*project['dependencies'], *more['postgresql'], *more['s3'], *more['a2a'], sep='\n')" > requirements.txt \
    && pip install --constraint constraints.txt --requirement requirements.txt

COPY README.md LICENSE manage.py version.txt ./
COPY templates templates
COPY static static
COPY docs docs
COPY annotation annotation
COPY benchmarks benchmarks
COPY generation generation
COPY piev_site piev_site
COPY sample sample
COPY segments segments
COPY texts texts
# Time and commit, as `git log -1 --format='%ct %H'` writes them; without, the content names the build.
ARG COMMIT=""
RUN if [ -n "$COMMIT" ]; then echo "$COMMIT" > version.txt; fi
RUN pip install --no-deps --editable . \
    && python -m compileall -q annotation benchmarks generation piev_site sample segments texts

USER piev
EXPOSE 8000
CMD ["gunicorn", "--config", "python:piev_site.web_server", "--bind", "0.0.0.0:8000"]
