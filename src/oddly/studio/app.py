# SPDX-License-Identifier: Apache-2.0
"""The studio's server: one page, its parts, and questions that are answered line by line."""

import asyncio
import base64
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from oddly import examples
from oddly.diagram import ODD
from oddly.errors import OddlyError
from oddly.formats import model_to_json
from oddly.model import Model, Network
from oddly.studio.bench import digest
from oddly.studio.guard import Guard
from oddly.studio.opening import DIAGRAM, about
from oddly.studio.questions import PARTS, QUESTIONS
from oddly.studio.script import script
from oddly.studio.shelf import Shelf
from oddly.studio.workers import Line, Workers

TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
PAGE = "index.html"
MOST_ASKED = 4 << 20  # bytes of a question
SIDES = ("side", "a", "b")


@dataclass(frozen=True)
class RequestLimits:
    """How much one request may bring and do."""

    upload: int = 16 << 20
    seconds: float = 60.0
    max_nodes: int = 2_000_000
    workers: int = 3


@dataclass(frozen=True)
class Opened:
    """A model that the page begins with: of a network also what it decides, of a diagram the file it is in."""

    name: str
    model: Model | Network | ODD
    origin: str = "file"
    choice: Line | None = None
    edits: Sequence[Any] = ()
    file: Path | None = None


def studio(
    token: str, host: str, port: int, models: Sequence[Opened] = (), limits: RequestLimits | None = None
) -> Guard:
    """The studio as an ASGI application, opened on these models, or on Figure 1."""
    inside = _Studio(models, limits or RequestLimits())
    return Guard(inside.app(), token, host, port, inside.close)


class _Studio:
    """The routes, and what they share."""

    def __init__(self, models: Sequence[Opened], limits: RequestLimits) -> None:
        self.limits = limits
        self.shelf = Shelf()
        self.opening = [self._pinned(one) for one in models]
        self.examples = [self._pinned(Opened(name, make(), "example")) for name, make in examples.EXAMPLES.items()]
        self.parts = _parts()
        self.workers: Workers | None = None

    def app(self) -> Starlette:
        routes = [
            Route("/", self.page),
            Route("/static/{name}", self.part),
            Route("/api/start", self.start),
            Route("/api/open", self.open, methods=["POST"]),
            Route("/api/script", self.script, methods=["POST"]),
            Route("/api/ask/{question}", self.ask, methods=["POST"]),
        ]
        return Starlette(routes=routes, lifespan=self.lifespan)

    @asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        self.workers = Workers(self.limits.workers, self.limits.seconds, self.limits.max_nodes)
        warming = asyncio.ensure_future(self.workers.start())
        try:
            yield
        finally:
            warming.cancel()
            await asyncio.gather(warming, return_exceptions=True)  # or a process would be left that nobody knows of
            await self.close()

    async def close(self) -> None:
        """Stop all work, so that whoever waits for an answer is told."""
        if self.workers is not None:
            await self.workers.stop()

    # ---- the page ----

    async def page(self, request: Request) -> Response:
        return Response(self.parts[PAGE][0], media_type="text/html")

    async def part(self, request: Request) -> Response:
        found = self.parts.get(request.path_params["name"])  # a name among those read at the start, never a path
        return Response("no such part\n", 404) if found is None else Response(found[0], media_type=found[1])

    async def start(self, request: Request) -> Response:
        """What the page begins with."""
        limits = {"upload": self.limits.upload, "seconds": self.limits.seconds, "max_nodes": self.limits.max_nodes}
        return JSONResponse({"models": self.opening, "examples": self.examples, "limits": limits})

    # ---- questions ----

    async def open(self, request: Request) -> Any:
        """A file that was dropped on the page: its name in the address, its bytes as the body."""
        name = request.query_params.get("name", "")[-200:]
        data = await _body(request, self.limits.upload)
        if data is None:
            most = self.limits.upload / (1 << 20)
            return _wrong(f"{name}: more than {most:g} MB.  oddly studio --max-upload allows more.", 413)
        return _Lines(self._opened(name, data))

    async def _opened(self, name: str, data: bytes) -> AsyncGenerator[Line, None]:
        assert self.workers is not None
        asked = {"name": name, "data": base64.b64encode(data).decode()}
        async with aclosing(self.workers.ask("open", asked, {})) as lines:
            async for line in lines:
                yield line if "answer" not in line else {"answer": self._kept(name, data, line["answer"])}

    def _kept(self, name: str, data: bytes, found: Line) -> Line:
        id_ = self._kept_file(found["diagram"], data) if "diagram" in found else self.shelf.put(found["text"])
        return {"id": id_, "name": name, "about": found["about"], "origin": "file"}

    def _kept_file(self, id_: str, data: bytes) -> str:
        """A diagram is kept in the studio's own folder, under a name of the studio's own."""
        assert self.workers is not None
        path = self.workers.folder.path / f"{id_}{DIAGRAM}"
        new = path.with_suffix(".new")
        new.write_bytes(data)
        new.replace(path)  # a worker may have the same file mapped, and must not see it half written
        return self.shelf.put_file(id_, path)

    async def ask(self, request: Request) -> Any:
        question = request.path_params["question"]
        if question not in QUESTIONS or question == "open":
            return _wrong("no such question", 404)
        asked = await _json(request)
        if asked is None:
            return _wrong("expected a JSON object, of no more than 4 MB", 400)
        sides = [asked[name] for name in SIDES if isinstance(asked.get(name), dict)]
        kept = {str(side.get("id")): self.shelf.get(str(side.get("id"))) for side in sides}
        forgotten = [id_ for id_, found in kept.items() if found is None]
        if forgotten:
            said = "The server no longer has this model; open it again."
            return JSONResponse({"error": said, "kind": "Forgotten", "forgotten": forgotten}, 409)
        assert self.workers is not None
        known = {id_: found for id_, found in kept.items() if found is not None}
        return _Lines(self.workers.ask(question, asked, known, PARTS.get(question, 1)))

    async def script(self, request: Request) -> Response:
        """What was done, as Python and as commands."""
        asked = await _json(request)
        try:
            return JSONResponse(script(asked or {}))
        except (OddlyError, LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
            return _wrong(f"nothing that can be told: {error}", 400)

    def _pinned(self, one: Opened) -> Line:
        """A model that is never forgotten, as the page takes it."""
        if isinstance(one.model, ODD):
            assert one.file is not None
            id_ = self.shelf.put_file(digest(one.file), one.file, pin=True)
        else:
            id_ = self.shelf.put(json.dumps(model_to_json(one.model), ensure_ascii=False), pin=True)
        said = about(one.model)
        told = {"id": id_, "name": one.name, "origin": one.origin, "about": said}
        return {**told, "choice": one.choice or said["choice"], "edits": list(one.edits)}


class _Lines:
    """A response line by line, each a JSON object; if the page goes away, the work stops."""

    def __init__(self, lines: AsyncGenerator[Line, None]) -> None:
        self.lines = lines

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        delivering = asyncio.ensure_future(self._deliver(send))
        leaving = asyncio.ensure_future(_left(receive))
        try:
            await asyncio.wait({delivering, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (delivering, leaving):
                task.cancel()
            delivered, _ = await asyncio.gather(delivering, leaving, return_exceptions=True)
            await self.lines.aclose()  # or whoever works on them would hear of it only from the garbage collector
        if isinstance(delivered, Exception):
            raise delivered

    async def _deliver(self, send: Send) -> None:
        headers = [(b"content-type", b"application/x-ndjson")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        async for line in self.lines:
            text = json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n"
            await send({"type": "http.response.body", "body": text.encode("utf-8", "replace"), "more_body": True})
        await send({"type": "http.response.body", "body": b""})


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _wrong(sentence: str, status: int) -> JSONResponse:
    return JSONResponse({"error": sentence, "kind": "Request"}, status)


async def _body(request: Request, most: int) -> bytes | None:
    """The request's body; None as soon as it is more than allowed, or nobody sends the rest."""
    declared = request.headers.get("content-length", "0")
    if not declared.isdecimal() or len(declared) > 18 or int(declared) > most:
        return None
    found = bytearray()
    try:
        async for chunk in request.stream():
            found += chunk
            if len(found) > most:
                return None
    except ClientDisconnect:  # whatever is answered, nobody reads it
        return None
    return bytes(found)


async def _json(request: Request) -> dict[str, Any] | None:
    data = await _body(request, MOST_ASKED)
    try:
        found = json.loads(data or b"")
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _parts() -> Mapping[str, tuple[bytes, str]]:
    """Everything the page consists of, read once."""
    folder = files("oddly.studio") / "static"
    kinds = {part: TYPES.get(part.name.rpartition(".")[2]) for part in folder.iterdir()}
    return {part.name: (part.read_bytes(), kind) for part, kind in kinds.items() if kind}
