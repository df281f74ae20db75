"""Run a command with DATABASE_URL naming a private PostgreSQL that lives as long as the command.

    python scripts/with_postgresql.py COMMAND [ARGUMENT ...]

POSTGRESQL_CONNECTIONS says how many connections it takes (200). The cluster lies in a temporary
folder and answers on a Unix socket in it, so nothing on the machine is touched. PostgreSQL refuses
to run as root; there it runs as the user `postgres`.
"""

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SERVER_USER = "postgres"


def find_program(name: str) -> str:
    """Return the path of a PostgreSQL program, or stop and say what to install."""
    found = shutil.which(name)
    if found:
        return found
    for path in sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True):
        return str(path)
    sys.exit(f"PostgreSQL's {name} is not on this machine; on Debian: apt-get install postgresql")


def as_server_user(command: list[str]) -> list[str]:
    """Return the command as it has to be run to satisfy PostgreSQL's refusal of root."""
    return ["runuser", "-u", SERVER_USER, "--", *command] if os.geteuid() == 0 else command


def run_quietly(command: list[str]) -> None:
    done = subprocess.run(as_server_user(command), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="piev-pg-", dir="/tmp") as name:
        folder = Path(name)
        if os.geteuid() == 0:
            account = pwd.getpwnam(SERVER_USER)
            os.chown(folder, account.pw_uid, account.pw_gid)
        data = folder / "data"
        initdb = [find_program("initdb"), "-D", str(data), "-U", "piev", "-A", "trust"]
        run_quietly([*initdb, "--encoding=UTF8", "--no-locale", "--no-sync"])
        control = [find_program("pg_ctl"), "-D", str(data), "-w"]
        # A Unix socket's path has to stay under 108 bytes, hence the short folder.
        most = int(os.environ.get("POSTGRESQL_CONNECTIONS", "200"))
        options = f"-c listen_addresses='' -k {folder} -c fsync=off -c max_connections={most}"
        run_quietly([*control, "-l", str(folder / "log"), "-o", options, "start"])
        try:
            address = f"postgresql://piev@{str(folder).replace('/', '%2F')}/postgres"
            environment = {**os.environ, "DATABASE_URL": address}
            return subprocess.run(sys.argv[1:], env=environment, check=False).returncode
        finally:
            run_quietly([*control, "-m", "immediate", "stop"])


if __name__ == "__main__":
    sys.exit(main())
