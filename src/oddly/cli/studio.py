# SPDX-License-Identifier: Apache-2.0
"""`oddly studio`: a local page on which a model is opened, changed, compared and asked."""

import secrets
import signal
import socket
import threading
import webbrowser
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any

import uvicorn
from cyclopts import Parameter
from uvicorn.protocols.http.h11_impl import H11Protocol

from oddly.cli.options import MODEL_OR_DIAGRAM, NO_CHOICE, AsJson, Choice, ChoiceOptions
from oddly.cli.output import emit_json, note
from oddly.cli.texts import UsageError, bytes_of, say
from oddly.compiler import load
from oddly.model import Network
from oddly.studio.app import Opened, RequestLimits, studio
from oddly.studio.guard import Guard

HEADER_SECONDS = 20  # that a connection has to say what it wants


def run(
    *models: Annotated[
        Path,
        Parameter(
            name="MODEL", help=f"{MODEL_OR_DIAGRAM} to begin with, or several; example:pregnancy if there are none."
        ),
    ],
    port: Annotated[int, say("Where to listen; 0 takes a free one.")] = 0,
    host: Annotated[
        str, say("The address to listen on. Others than 127.0.0.1 may be reached from elsewhere.")
    ] = "127.0.0.1",
    browser: Annotated[
        bool, Parameter(name="--browser", negative="--no-browser", show_default=False, help="Open the page at once.")
    ] = True,
    seconds: Annotated[float, say("Stop a question after so long.")] = 60.0,
    max_nodes: Annotated[int, say("Stop beyond this many nodes.")] = 2_000_000,
    max_upload: Annotated[str, say("The largest file the page takes.")] = "16M",
    choice: ChoiceOptions = NO_CHOICE,
    as_json: AsJson = False,
) -> int:
    """Open a page on this machine to look at a model, change it, compare it and ask it.

    Nothing leaves the machine. The address that is printed holds a token; only who has it is answered. Ctrl-C ends it.

    Example:
      oddly studio
      oddly studio old.bif new.bif --class disease --positive present
      oddly studio model.json --no-browser --port 8000
    """
    if not 0 <= port < 1 << 16:
        raise UsageError(f"--port: expected a number from 0 to 65535, found {port}")
    if not seconds > 0 or max_nodes < 1:
        raise UsageError("--seconds and --max-nodes: expected positive numbers")
    limits = RequestLimits(_upload(max_upload), seconds, max_nodes)
    opened = [_opened(path, choice) for path in models]
    with _listening(host, port) as door:
        port = int(door.getsockname()[1])
        token = secrets.token_urlsafe(24)
        app = studio(token, host, port, opened, limits)
        page = f"http://{_in_address(host)}:{port}/?token="
        address = page + token
        if as_json:
            emit_json({"address": address, "host": host, "port": port, "token": token})
        else:
            print(address, flush=True)
        note("The studio is at the address above, until Ctrl-C.")
        if not _is_here(door.getsockname()[0]):
            note(f"Warning: it listens on {host or '0.0.0.0'}. Who can reach this machine can reach it, without encryption; "
                 "only the token keeps them out.")  # fmt: skip
        if browser:
            threading.Thread(target=_show, args=[page + app.ticket()], daemon=True).start()
        _serve(app, door)
    note("The studio is closed.")
    return 0


def _opened(path: Path, choice: Choice) -> Opened:
    """A model as it is in its file; what a network is to decide is chosen on the page, and here only to begin with."""
    kind, _, example = str(path).partition(":")
    name, origin = (example, "example") if kind == "example" else (path.name, "file")
    if path.suffix.lower() == ".odd":
        return Opened(name, load(path), origin, file=path.resolve())
    model = NO_CHOICE.of(path)
    if choice == NO_CHOICE or not isinstance(model, Network):
        return Opened(name, model, origin)
    choice.decider(path)  # what is wrong with it is said here
    chosen = {"class": choice.class_, "positive": choice.positive, "attributes": choice.names}
    edits = [[["threshold"], choice.threshold]] if choice.threshold else []
    return Opened(name, model, origin, chosen, edits)


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, UnicodeError) as error:
        said = getattr(error, "strerror", None) or "that is no address"
        raise UsageError(f"cannot listen on {host} port {port}: {said}") from None


def _is_here(address: str) -> bool:
    """Whether an address that is listened on can be reached from this machine only."""
    return ip_address(address.partition("%")[0]).is_loopback


def _upload(size: str) -> int:
    try:
        return bytes_of(size)
    except UsageError:
        raise UsageError(f"--max-upload: expected a size such as 16M, found {size!r}") from None


def _in_address(host: str) -> str:
    if host in ("0.0.0.0", "::", ""):
        return "[::1]" if host == "::" else "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def _show(address: str) -> None:
    if not webbrowser.open(address):
        note("No browser could be opened; open the address yourself.")


def _serve(app: Guard, door: socket.socket) -> None:
    class Server(uvicorn.Server):
        """One that stops all work before it waits for the last answers."""

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            await app.close()
            await super().shutdown(sockets)

    class Door(H11Protocol):
        """A connection that must say what it wants within some seconds, or is closed."""

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.loop.call_later(HEADER_SECONDS, self._late)

        def _late(self) -> None:
            if self.cycle is None and not self.transport.is_closing():
                self.transport.close()

    quiet: dict[str, Any] = {"log_level": "warning", "access_log": False, "server_header": False, "date_header": False}
    waits: dict[str, Any] = {"timeout_graceful_shutdown": 1, "timeout_keep_alive": 30}
    config = uvicorn.Config(app, http=Door, ws="none", loop="asyncio", **quiet, **waits)
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)  # whoever asks so is heard like Ctrl-C
    with suppress(KeyboardInterrupt):  # uvicorn has closed everything, and passes it on
        Server(config).run(sockets=[door])
    signal.signal(signal.SIGTERM, before)
