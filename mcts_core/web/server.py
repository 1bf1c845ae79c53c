"""Answers HTTP on 127.0.0.1: the files of the page, and the sessions as JSON.

Another page in the same browser, and a name that is made to lead here (DNS rebinding), are kept out by what ``Host``,
``Origin`` and ``Sec-Fetch-Site`` say; whatever can open a connection here can open sessions of its own, within the
limits.
"""

from __future__ import annotations

import io
import json
import os
import re
import socket
import socketserver
import sys
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from mcts_core.arguments import shorten
from mcts_core.web import limits
from mcts_core.web.fields import check_names, parse_object, real, whole
from mcts_core.web.games import Games
from mcts_core.web.limits import Limits
from mcts_core.web.protocol import ACTIONS, act, offers, refusal
from mcts_core.web.refusals import Refused
from mcts_core.web.sessions import ID_FORM, Sessions
from mcts_core.web.static_files import load_files
from mcts_core.words import as_data

ADDRESS = "127.0.0.1"
PATH = re.compile(f"/api/sessions/({ID_FORM.pattern})(?:/([a-z-]+))?")
JSON_TYPE = re.compile('application/json *(; *charset="?utf-8"?)?')
HEADERS = {
    # blob: a picture of the board that the page itself has made, on its way to PNG
    "Content-Security-Policy": "default-src 'self'; img-src 'self' blob:; base-uri 'none'; form-action 'none'; "
                               "frame-ancestors 'none'; object-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
SWEEP_SECONDS = 10.0
_DRAINED_BYTES = 1 << 20
"""Of a body that was refused: a connection that is closed over unread bytes may lose the answer."""
_DRAIN_SECONDS = 0.5
_POLL_SECONDS = 0.1
"""Between two looks at whether the server ends: on Windows, shutting a socket down wakes nobody who waits for it."""


class Server(socketserver.ThreadingMixIn, HTTPServer):
    """The server of the page, bound to 127.0.0.1 from the moment that it is made; port 0: any that is free.

    ``game`` is the first position of the first game, ``name`` what it is called where it is no game of this package;
    ``seconds`` and ``threads`` are what the page begins with. ``serve_forever`` answers
    until ``shutdown`` or an exception such as KeyboardInterrupt; ``close`` then ends every search, connection and
    thread. Raises OSError where the port is taken, InvalidOption.
    """

    daemon_threads = False
    block_on_close = True
    request_queue_size = 32
    allow_reuse_address = os.name == "posix"  # elsewhere it lets two servers have one port

    def __init__(
        self, port: int, game: Any, granted: Limits, *, name: str = "", seconds: float = 1.0, threads: int = 1,
    ) -> None:
        games = Games(game if name else None, name)
        self.defaults = {"game": games.fields_of(game), "seconds": seconds, "threads": threads}
        real(self.defaults, "seconds", limits.LEAST_SECONDS, granted.seconds, seconds)
        whole(self.defaults, "threads", 1, granted.threads)
        self.files = load_files()
        self.sessions = Sessions(granted, games)
        self._places = threading.BoundedSemaphore(limits.CONNECTIONS)
        self.ends = False
        self._next_sweep = time.monotonic() + SWEEP_SECONDS
        super().__init__((ADDRESS, port), Handler)
        self.hosts = {f"{name}:{self.port}" for name in (ADDRESS, "localhost")}
        if self.port == 80:
            self.hosts |= {ADDRESS, "localhost"}

    @property
    def port(self) -> int:
        """The port that it listens to."""
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{ADDRESS}:{self.port}/"

    def server_bind(self) -> None:
        socketserver.TCPServer.server_bind(self)  # HTTPServer's asks a name server who 127.0.0.1 is
        self.server_name, self.server_port = ADDRESS, self.port

    def service_actions(self) -> None:
        if time.monotonic() >= self._next_sweep:
            self._next_sweep = time.monotonic() + SWEEP_SECONDS
            self.sessions.sweep()

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._places.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except Exception:  # after Ctrl-C the thread may run, and gives its place back itself
            self._places.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)  # a visitor who goes away is none

    def close(self) -> None:
        """Ends searches, connections and threads, and frees the port."""
        self.ends = True
        self.socket.close()
        self.sessions.close()
        self.server_close()


class _Stream(io.RawIOBase):
    """The bytes of one request and its answer, while they are few, there is time and the server does not end."""

    def __init__(self, server: Server, connection: socket.socket) -> None:
        self._server = server
        self._connection = connection
        self.allow(limits.REQUEST_SECONDS, limits.REQUEST_BYTES)

    def allow(self, seconds: float, incoming: int = 0) -> None:
        """Seconds from now for what follows, and the bytes that may come in."""
        self._deadline = time.monotonic() + seconds
        self._left = incoming

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)[:self._left]
        if not view:
            raise TimeoutError("a request must be short")
        count = self._wait(self._connection.recv_into, view)
        self._left -= count
        return count

    def write(self, data: Any) -> int:
        """All of ``data``."""
        view = memoryview(data)
        while view:
            view = view[self._wait(self._connection.send, view):]
        return len(data)

    def _wait(self, call: Callable[[memoryview], int], view: memoryview) -> int:
        while (seconds := self._deadline - time.monotonic()) > 0.0:
            if self._server.ends:
                raise ConnectionAbortedError("the server is stopping")
            self._connection.settimeout(min(seconds, _POLL_SECONDS))
            try:
                return call(view)
            except TimeoutError:
                pass
        raise TimeoutError("a request must come, and its answer be taken, at once")


class Handler(BaseHTTPRequestHandler):
    """One request, after which the connection is closed."""

    server: Server  # pyright: ignore[reportIncompatibleVariableOverride]
    server_version = "mcts_core"
    sys_version = ""
    protocol_version = "HTTP/1.0"
    default_request_version = "HTTP/1.0"

    def setup(self) -> None:
        super().setup()
        self.rfile.close()
        self._stream = _Stream(self.server, self.connection)
        self.rfile = io.BufferedReader(self._stream)
        self.wfile = self._stream  # type: ignore[assignment]  # it writes all at once, as what is buffered does
        self._unread = False

    def do_GET(self) -> None:
        """A file, or a session."""
        self._answer(self._get)

    do_HEAD = do_GET

    def do_POST(self) -> None:
        """A new session, or something that a visitor does."""
        self._answer(self._post)

    def _get(self) -> tuple[int, str, bytes]:
        path, mark, query = self.path.partition("?")
        if path in self.server.files:
            if query:
                raise Refused(404, f"there is nothing at {shorten(self.path)}")
            return 200, *self.server.files[path]
        key, action = self._session_path(path)
        if action is not None:
            raise Refused(405 if action in ACTIONS else 404, f"GET has nothing at {shorten(path)}")
        after = -1
        if mark:
            if not re.fullmatch("after=[0-9]{1,9}", query):
                raise Refused(400, f"the query must be after=NUMBER, got {shorten(query)}")
            after = int(query.removeprefix("after="))
        session = self.server.sessions.get(key)
        return _json(200, session.look(after) if mark else self._offers() | session.look())

    def _post(self) -> tuple[int, str, bytes]:
        if self.path in self.server.files:
            raise Refused(405, f"POST has nothing at {shorten(self.path)}")
        if self.path == "/api/sessions":
            return self._open(self._body())
        key, action = self._session_path(self.path)
        if action not in ACTIONS:
            raise Refused(405 if action is None else 404, f"POST has nothing at {shorten(self.path)}")
        session = self.server.sessions.get(key)
        fields = self._body()
        return _json(200, act(session, self.server.sessions.granted, action, fields))

    def _open(self, fields: dict[str, Any]) -> tuple[int, str, bytes]:
        check_names(fields)
        key, session = self.server.sessions.open()
        return _json(201, {"id": key} | self._offers() | session.look())

    def _offers(self) -> dict[str, Any]:
        return offers(self.server.sessions.games, self.server.sessions.granted, self.server.defaults)

    def _session_path(self, path: str) -> tuple[str, str | None]:
        found = PATH.fullmatch(path)
        if found is None:
            raise Refused(404, f"there is nothing at {shorten(path)}")
        return found[1], found[2]

    # -- what comes in ----------------------------------------------------------------------------

    def _check_origin(self) -> None:
        """Raises Refused for what does not come from the page itself, or from the address bar."""
        hosts = self.headers.get_all("Host", [])
        if len(hosts) != 1 or hosts[0].strip().lower() not in self.server.hosts:
            raise Refused(403, f"Host must be {ADDRESS}:{self.server.port}, got {shorten(', '.join(hosts))}")
        host = hosts[0].strip().lower()
        origins = self.headers.get_all("Origin", [])
        if self.command == "POST" and not origins:
            raise Refused(403, f"Origin must be http://{host}, but there is none")
        for origin in origins:
            if origin.strip() != f"http://{host}":
                raise Refused(403, f"Origin must be http://{host}, got {shorten(origin)}")
        for site in self.headers.get_all("Sec-Fetch-Site", []):
            if self.path not in self.server.files and site.strip() not in ("same-origin", "none"):
                raise Refused(403, f"requests must come from the page itself, got one that is {shorten(site)}")

    def _check_body(self) -> int:
        """The length of the body. Raises Refused."""
        lengths = self.headers.get_all("Content-Length", [])
        if self.headers.get_all("Transfer-Encoding"):
            self._unread = True
            raise Refused(411, "a request must have a Content-Length and no Transfer-Encoding")
        if self.command != "POST":
            if any(length.strip() != "0" for length in lengths):
                self._unread = True
                raise Refused(400, f"{self.command} must have no body")
            return 0
        self._unread = True
        if len(lengths) != 1 or not re.fullmatch("[0-9]{1,20}", lengths[0].strip()):
            raise Refused(411 if not lengths else 400, f"Content-Length must be a number, got {shorten(lengths)}")
        length = int(lengths[0])
        if length > limits.BODY_BYTES:
            raise Refused(413, f"a body must have at most {limits.BODY_BYTES} bytes, got {length}")
        types = self.headers.get_all("Content-Type", [])
        if len(types) != 1 or not JSON_TYPE.fullmatch(types[0].strip().lower()):
            raise Refused(415, f"Content-Type must be application/json, got {shorten(', '.join(types))}")
        return length

    def _body(self) -> dict[str, Any]:
        body = self.rfile.read(self._length)
        self._unread = False
        if len(body) < self._length:
            raise ConnectionError("the visitor went away halfway through the body")
        return parse_object(body)

    # -- what goes out ----------------------------------------------------------------------------

    def _answer(self, work: Any) -> None:
        try:
            self._check_origin()
            self._length = self._check_body()
            status, kind, body = work()
        except OSError:  # the visitor went away, or took too long
            raise
        except Exception as error:
            refused = refusal(error)
            if refused is None:
                self.server.handle_error(self.request, self.client_address)
                told = "the server failed; its terminal says how"
                if own := self.server.sessions.games.own_name:  # then it is mostly this game that failed
                    told = f"{own} failed: {type(error).__name__}: {error}"
                refused = 500, {"error": told}
            status, kind, body = _json(*refused)
        self._send(status, kind, body)

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self._stream.allow(limits.SEND_SECONDS)
        self.send_response(status)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        if status == 405:
            self.send_header("Allow", "GET, HEAD" if self.command == "POST" else "POST")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        if self._unread:
            self._drain()

    def _drain(self) -> None:
        self.connection.shutdown(socket.SHUT_WR)
        self._stream.allow(_DRAIN_SECONDS, _DRAINED_BYTES)
        while self._stream.read(65536):
            pass

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What http.server itself refuses: no request at all, an unknown method, too many headers."""
        if not getattr(self, "command", None):
            self.command = ""
        self._unread = True
        self._send(*_json(code, {"error": message or "this is no request that is known here"}))

    def log_message(self, format: str, *args: Any) -> None:
        """The terminal stays quiet."""


def _json(status: int, data: dict[str, Any]) -> tuple[int, str, bytes]:
    body = json.dumps(data, separators=(",", ":"), allow_nan=False, ensure_ascii=True, default=as_data)
    return status, "application/json", body.encode("ascii")
