# SPDX-License-Identifier: Apache-2.0
"""Who may talk to the studio: the page it served itself, opened with the secret it printed, and nobody else.

A page of another origin could send requests to this machine, or have a name of its own resolve to it. So every request must
name this server (Host), come from its own page if from any (Origin, Sec-Fetch-Site), and carry the token, in the
address at first and in a cookie afterwards. A browser that is started with an address shows it to everybody in the list of
processes; so that one holds a ticket, which lets in once.
"""

import secrets
from collections.abc import Awaitable, Callable, Iterable
from ipaddress import ip_address
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
EVERYWHERE = ("0.0.0.0", "::", "")


class Guard:
    """Passes on what may pass, and says in a sentence why the rest may not."""

    def __init__(self, app: ASGIApp, token: str, host: str, port: int, close: Callable[[], Awaitable[None]]) -> None:
        self.app = app
        self.close = close
        self.token = token
        self.host = host
        self.port = port
        self.cookie = f"oddly-studio-{port}"  # cookies do not know ports, and two studios should not share one
        self.tickets: list[str] = []

    def ticket(self) -> str:
        """What stands for the token in one request, the first that has it."""
        self.tickets.append(secrets.token_urlsafe(24))
        return self.tickets[-1]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # there are no other doors
        headers = Headers(scope=scope)
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        refusal = self._refusal(headers, given)
        bring_cookie = refusal is None and bool(given)

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                out = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    out[name] = value
                if bring_cookie:
                    out.append("set-cookie", f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Strict")
            await send(message)

        app = self.app if refusal is None else PlainTextResponse(refusal + "\n", status_code=403)
        await app(scope, receive, guarded)

    def _refusal(self, headers: Headers, given: Iterable[str]) -> str | None:
        """Why a request is not answered; None if it is."""
        host = headers.get("host", "")
        if not self.is_here(host):
            return f"This is Oddly's studio on port {self.port}, not {host[:100]!r}."
        origin = headers.get("origin")
        if origin is not None and origin != f"http://{host}":
            return "The studio answers its own page, not one from elsewhere."
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and (
            headers.get("sec-fetch-mode") != "navigate"
        ):
            return "The studio answers its own page, not one from elsewhere."
        if not (_any_is(self.token, [*given, *self._kept(headers)]) or self._spent(given)):
            return "Open the studio with the address that `oddly studio` printed: it has a token that this one lacks."
        return None

    def _spent(self, given: Iterable[str]) -> bool:
        """Whether a ticket was given; it is none from now on."""
        found = [ticket for ticket in self.tickets if _any_is(ticket, given)]
        self.tickets = [ticket for ticket in self.tickets if ticket not in found]
        return bool(found)

    def is_here(self, host: str) -> bool:
        """Whether a Host header names this server.

        A name that someone else controls may resolve to this machine; an address cannot. So of names only the one that was
        asked for counts, and localhost.
        """
        name, _, port = host.rpartition(":")
        if not name or host.endswith("]"):  # browsers leave out the usual port
            name, port = host, "80"
        name = name.removeprefix("[").removesuffix("]").lower()
        if port != str(self.port):
            return False
        if name in ("localhost", self.host.lower()):
            return True
        try:
            address = ip_address(name)
        except ValueError:
            return False
        return address.is_loopback or self.host in EVERYWHERE

    def _kept(self, headers: Headers) -> list[str]:
        """The token in the cookie. Taken apart by hand: other programs of this machine share the jar, and may have put
        things in it that a strict reader would stumble over."""
        pairs = [pair.strip().partition("=") for pair in headers.get("cookie", "").split(";")]
        return [value for name, _, value in pairs if name == self.cookie]


def _any_is(secret: str, given: Iterable[str]) -> bool:
    return any(secrets.compare_digest(one.encode(), secret.encode()) for one in given)
