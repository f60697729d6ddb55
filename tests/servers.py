# SPDX-License-Identifier: Apache-2.0
"""A real PostgreSQL for tests: started in a folder of its own, as a user without privileges, and stopped again.

A test module that needs it says `from servers import postgres` and takes `postgres`, a psycopg connection, as an argument.
"""

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

USERS = ("postgres", "nobody")  # PostgreSQL refuses to run as root
PATIENCE = 30  # seconds until a server must answer


@pytest.fixture(scope="session")
def postgres():
    """A connection to a server of this session's own; one line says why there is none."""
    psycopg = pytest.importorskip("psycopg")
    programs = _programs()
    if programs is None:
        pytest.skip("no PostgreSQL here: install Debian's postgresql")
    with _server(programs) as folder, psycopg.connect(host=folder, user="tester", dbname="postgres") as connection:
        connection.autocommit, connection.prepare_threshold = True, None
        yield connection


def _programs():
    """The folder of initdb and postgres, wherever the system keeps it."""
    found = shutil.which("initdb")
    folders = [Path(found).parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists() and (folder / "postgres").exists()), None)


@contextmanager
def _server(programs):
    """A server that listens on a socket in its folder only."""
    as_user = _unprivileged()
    folder = tempfile.mkdtemp(prefix="pg")
    if as_user:
        os.chown(folder, as_user["user"], as_user["group"])
    running = None
    try:
        data, options = (
            os.path.join(folder, "data"),
            {**as_user, "cwd": folder, "env": {"PATH": os.defpath, "LC_ALL": "C"}},
        )
        new = [programs / "initdb", "-D", data, "-U", "tester", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C"]
        subprocess.run(new, check=True, capture_output=True, **options)
        settings = [f"unix_socket_directories={folder}", "listen_addresses=", "fsync=off", "full_page_writes=off"]
        command = [programs / "postgres", "-D", data, *(word for s in settings for word in ("-c", s))]
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
        _await(Path(folder), running)
        yield folder
    finally:
        if running is not None:
            running.terminate()
            running.wait(PATIENCE)
        shutil.rmtree(folder, ignore_errors=True)


def _unprivileged():
    """As whom to run: as ourselves, unless that is root."""
    if os.geteuid() != 0:
        return {}
    entry = next(pwd.getpwnam(name) for name in USERS if name in {e.pw_name for e in pwd.getpwall()})
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def _await(folder, running):
    import psycopg

    until = time.monotonic() + PATIENCE
    while True:
        try:
            psycopg.connect(host=str(folder), user="tester", dbname="postgres").close()
            return
        except psycopg.OperationalError:
            if running.poll() is not None or time.monotonic() > until:
                raise
            time.sleep(0.1)
