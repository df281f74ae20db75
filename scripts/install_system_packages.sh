#!/bin/sh
# Install the Debian packages that the tests need, where we may; else name them and stop.
# With "proof" also what only `make proof` needs.
set -eu

missing=""
command -v redis-server >/dev/null 2>&1 || missing="$missing redis-server"
# The one without windows takes half the time; not every release has it, so either will do.
if ! command -v chromium-headless-shell >/dev/null 2>&1; then
    if apt-cache show chromium-headless-shell >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
        missing="$missing chromium-headless-shell"
    elif ! command -v chromium >/dev/null 2>&1; then
        missing="$missing chromium"
    fi
fi
command -v ffmpeg >/dev/null 2>&1 || missing="$missing ffmpeg"
command -v strace >/dev/null 2>&1 || missing="$missing strace"
if ! command -v initdb >/dev/null 2>&1 && ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then
    missing="$missing postgresql"
fi
if [ "${1:-test}" = proof ]; then
    command -v pdflatex >/dev/null 2>&1 || missing="$missing texlive-latex-recommended"
    command -v firefox-esr >/dev/null 2>&1 || command -v firefox >/dev/null 2>&1 || missing="$missing firefox-esr"
    command -v node >/dev/null 2>&1 || missing="$missing nodejs"
    command -v npm >/dev/null 2>&1 || missing="$missing npm"
fi
[ -z "$missing" ] && exit 0

if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    echo "Installing:$missing"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    # shellcheck disable=SC2086 # one word per package is meant
    apt-get install -y -qq --no-install-recommends $missing >/dev/null
else
    echo "make ${1:-test} needs these Debian packages:$missing" >&2
    echo "Install them as an administrator: apt-get install$missing" >&2
    exit 1
fi
