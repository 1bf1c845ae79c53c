"""The server over real sockets: what it answers, and what it refuses."""

import contextlib
import http.client
import json
import socket
import threading
import time

import pytest
from nim import SmallNim

import mcts_core as mc
from mcts_core.web import limits, server
from mcts_core.web.limits import Limits
from mcts_core.web.refusals import Refused
from mcts_core.web.server import HEADERS, Server

GOMOKU = {"game": {"name": "gomoku"}, "purpose": "answer", "seconds": 30}
GRANTED = Limits(sessions=100, threads=2, memory_mb=16, seconds=30)


@contextlib.contextmanager
def serving(granted=GRANTED, game=None, name=""):
    """A server that answers; it leaves no thread."""
    before = set(threading.enumerate())
    found = Server(0, mc.ConnectFour() if game is None else game, granted, name=name, seconds=0.02)
    thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield found
    finally:
        found.shutdown()
        found.close()
        thread.join()
        assert set(threading.enumerate()) <= before


@pytest.fixture(scope="module")
def page():
    with serving() as found:
        yield found


def ask(page, method, path, body=None, **changed):
    """Status, headers and body of an answer; ``changed``: headers by their names with _ for -, None: left out."""
    headers = {"Host": f"127.0.0.1:{page.port}"}
    if method == "POST":
        body = json.dumps({} if body is None else body).encode() if not isinstance(body, bytes) else body
        headers |= {"Origin": f"http://127.0.0.1:{page.port}", "Content-Type": "application/json",
                    "Content-Length": str(len(body))}
    headers |= {name.replace("_", "-"): value for name, value in changed.items()}
    connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=20)
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def said(page, method, path, body=None, **changed):
    """Status and JSON of an answer."""
    status, headers, text = ask(page, method, path, body, **changed)
    assert headers["Content-Type"] == "application/json"
    return status, json.loads(text)


def raw(page, data, wait=5):
    """All bytes that come back."""
    with socket.create_connection(("127.0.0.1", page.port), timeout=wait) as connection:
        connection.sendall(data)
        parts = []
        while part := connection.recv(65536):
            parts.append(part)
        return b"".join(parts)


@pytest.fixture
def path(page):
    """A new session."""
    status, seen = said(page, "POST", "/api/sessions")
    assert status == 201
    return f"/api/sessions/{seen['id']}"


def settled(page, path):
    while True:
        status, seen = said(page, "GET", path)
        assert status == 200
        if not seen["running"]:
            return seen
        said(page, "GET", f"{path}?after={seen['version']}")


def test_it_listens_to_this_machine_only(page):
    assert page.server_address[0] == "127.0.0.1" and page.url == f"http://127.0.0.1:{page.port}/"


@pytest.mark.parametrize("name", ["/", "/static/app.js", "/static/style.css", "/static/icon.svg"])
def test_the_files_of_the_page(page, name):
    status, headers, text = ask(page, "GET", name)
    assert status == 200 and text == page.files[name][1] and headers["Content-Type"] == page.files[name][0]
    assert {key: headers[key] for key in HEADERS} == HEADERS
    assert headers["Server"].strip() == "mcts_core"
    status, headers, text = ask(page, "HEAD", name)
    assert status == 200 and text == b"" and int(headers["Content-Length"]) == len(page.files[name][1])


def test_the_policies_are_strict():
    assert HEADERS["Content-Security-Policy"].startswith("default-src 'self';")
    assert "img-src 'self' blob:;" in HEADERS["Content-Security-Policy"]
    for part in ("frame-ancestors 'none'", "base-uri 'none'", "object-src 'none'"):
        assert part in HEADERS["Content-Security-Policy"]
    assert HEADERS["X-Content-Type-Options"] == "nosniff" and HEADERS["Referrer-Policy"] == "no-referrer"


def test_a_whole_game(page):
    status, seen = said(page, "POST", "/api/sessions")
    assert status == 201 and seen["game"]["name"] == "connect4" and seen["seconds"] == 0.02
    path = f"/api/sessions/{seen['id']}"
    fields = {"game": {"name": "tictactoe"}, "moves": []}
    status, seen = said(page, "POST", f"{path}/position", fields)
    while seen["winner"] is None:
        if seen["to_move"] == 1:
            status, news = said(page, "POST", f"{path}/search", fields | {"purpose": "answer", "seconds": 0.02})
            assert status == 200 and news["version"] > 0
            fields["moves"] = [*seen["moves"], settled(page, path)["figures"]["move"]]
        else:
            fields["moves"] = [*seen["moves"], seen["legal"][0]]
        status, seen = said(page, "POST", f"{path}/position", fields)
        assert status == 200
    assert seen["winner"] in (0, 1) and seen["ply"] == len(seen["moves"])
    assert said(page, "POST", f"{path}/search", fields | {"purpose": "hint"})[0] == 409
    fields = {"game": {"name": "mnk", "m": 4, "n": 5, "k": 3, "rule": "exact"}}
    status, seen = said(page, "POST", f"{path}/position", fields)
    assert status == 200 and (seen["rows"], seen["cols"], seen["ply"]) == (5, 4, 0)


def test_what_is_offered_is_told_again(page, path):
    status, seen = said(page, "GET", path)
    assert status == 200 and seen["limits"] == {"seconds": [0.01, 30], "threads": [1, 2]}
    assert seen["levels"][0] == "beginner" and "levels" not in said(page, "GET", f"{path}?after=0")[1]


def test_errors_name_the_field(page, path):
    for fields, field in (({"seconds": 31}, "seconds"), ({"threads": 3}, "threads"), ({"moves": ["9"]}, "text"),
                          ({"game": {"name": "gomoku", "size": 3}}, "size"), ({"level": 1}, "level")):
        fields = {"game": {"name": "connect4"}, "purpose": "hint", **fields}
        status, answer = said(page, "POST", f"{path}/search", fields)
        assert status == 400 and answer["field"] == field and answer["error"]


def test_finish(page, path):
    fields = {"game": {"name": "gomoku"}, "purpose": "answer", "seconds": 30}
    said(page, "POST", f"{path}/search", fields)
    assert said(page, "POST", f"{path}/finish")[0] == 200
    assert settled(page, path)["figures"]["move"]
    assert said(page, "POST", f"{path}/finish")[0] == 200


def test_the_longest_game_fits_into_a_body(page, path):
    names = [f"{chr(97 + col // 26 - 1) if col > 25 else ''}{chr(97 + col % 26)}{row}"
             for row in range(1, 33) for col in range(32)]
    fields = {"game": {"name": "mnk", "m": 32, "n": 32, "k": 32, "rule": "exact"}, "moves": names[:960]}
    status, seen = said(page, "POST", f"{path}/position", fields)
    assert status == 200 and seen["ply"] == 960


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "localhost:1", "127.0.0.1:{port}.evil.example", "", None,
                                  "evil.example:{port}", "[::1]:{port}"])
@pytest.mark.parametrize("method, where", [("GET", "/"), ("POST", "/api/sessions")])
def test_a_foreign_host_is_refused(page, method, where, host):
    status, answer = said(page, method, where, Host=host if host is None else host.format(port=page.port))
    assert status == 403 and answer["error"].startswith("Host must be 127.0.0.1:")


def test_localhost_is_this_host_too(page):
    name = f"localhost:{page.port}"
    assert ask(page, "GET", "/", Host=name)[0] == 200
    assert said(page, "POST", "/api/sessions", Host=name, Origin=f"http://{name}")[0] == 201
    assert said(page, "POST", "/api/sessions", Host=name)[0] == 403  # the Origin is the other name


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "", "https://127.0.0.1:{port}", "http://127.0.0.1",
                                    "http://127.0.0.1:{port}.evil.example", "http://127.0.0.1:{port}/", None])
def test_a_foreign_origin_is_refused(page, path, origin):
    origin = origin if origin is None else origin.format(port=page.port)
    status, answer = said(page, "POST", f"{path}/search", GOMOKU, Origin=origin)
    assert status == 403 and answer["error"].startswith("Origin must be http://127.0.0.1:")
    if origin is not None:
        assert said(page, "GET", path, Origin=origin)[0] == 403
    assert said(page, "GET", path)[1]["number"] == 0


@pytest.mark.parametrize("site, status", [("cross-site", 403), ("same-site", 403), ("same-origin", 200), ("none", 200)])
def test_what_the_browser_says_of_the_origin_counts(page, path, site, status):
    assert said(page, "GET", path, Sec_Fetch_Site=site)[0] == status
    assert ask(page, "GET", "/", Sec_Fetch_Site=site)[0] == 200  # a link may lead to the page


@pytest.mark.parametrize("where", [
    "/index.html", "/static/", "/static/../server.py", "/static/%2e%2e/server.py", "/../../etc/passwd",
    "/static/app.js/", "/static//app.js", "/static\\app.js", "/api", "/api/sessions/", "/api/sessions/x",
    "/favicon.ico", "/?a=1", "/api/sessions/" + "A" * 32, "/api/sessions/" + "A" * 32 + "/search/",
    "/api/sessions/" + "A" * 31 + "%41", "http://127.0.0.1/",
])
def test_there_is_nothing_at_other_paths(page, where):
    assert said(page, "GET", where)[0] == 404
    assert said(page, "POST", where)[0] == (405 if where.endswith("A" * 32) else 404)


def test_methods(page, path):
    assert said(page, "GET", f"{path}/search")[0] == 405
    assert said(page, "GET", f"{path}/fly")[0] == 404
    status, headers, _ = ask(page, "POST", path)
    assert status == 405 and headers["Allow"] == "GET, HEAD"
    assert said(page, "POST", "/")[0] == 405
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT"):
        status, headers, _ = ask(page, method, path)
        assert status == 501 and {key: headers[key] for key in HEADERS} == HEADERS


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", None,
                                  "application/json; charset=latin-1", "application/jsonp"])
def test_a_body_that_a_form_could_send_is_refused(page, path, kind):
    assert said(page, "POST", f"{path}/drop", Content_Type=kind)[0] == 415


def test_a_charset_may_be_named(page, path):
    assert said(page, "POST", f"{path}/drop", Content_Type="application/json; charset=utf-8")[0] == 200


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff\xff", b'{"seconds": NaN}', b"[" * 4096])
def test_a_body_that_is_no_object_is_refused(page, path, body):
    status, answer = said(page, "POST", f"{path}/search", body)
    assert status == 400 and "JSON object" in answer["error"]


@pytest.mark.parametrize("action, fields", [
    ("search", {}), ("search", {"game": {"name": "connect4"}}), ("search", GOMOKU | {"moves": "h8"}),
    ("search", GOMOKU | {"moves": [3]}), ("search", GOMOKU | {"moves": [["h8"]]}),
    ("search", GOMOKU | {"moves": ["h16"]}), ("search", GOMOKU | {"diagram": {}}),
    ("search", GOMOKU | {"diagram": "." * 5000}), ("search", GOMOKU | {"more": 1}),
    ("search", GOMOKU | {"purpose": ["answer"]}), ("position", {"game": "connect4"}),
    ("position", {"game": {"name": "os:system"}}), ("position", {"game": {"name": "connect4", "rows": 10**9}}),
    ("position", {"game": {"name": "connect4"}, "side": 1}), ("read", {"text": "44"}),
    ("read", {"game": {"name": "gomoku"}, "text": ["h8"]}), ("drop", {"seconds": 1}), ("finish", {"a": 1}),
])
def test_wrong_fields_are_refused_and_change_nothing(page, path, action, fields):
    before = said(page, "GET", path)
    status, answer = said(page, "POST", f"{path}/{action}", fields)
    assert status == 400 and len(answer["error"]) < 300
    assert said(page, "GET", path) == before


@pytest.mark.parametrize("fields", [{"id": "x"}, {"seconds": 1}, {"game": {"name": "gomoku"}}])
def test_a_session_with_wrong_fields_is_not_opened(page, fields):
    before = len(page.sessions)
    assert said(page, "POST", "/api/sessions", fields)[0] == 400
    assert len(page.sessions) == before


@pytest.mark.parametrize("query, status", [("after=0", 200), ("after=-1", 400), ("after=", 400), ("before=1", 400),
                                           ("after=1&after=2", 400), ("after=9999999999", 400), ("", 400)])
def test_queries(page, path, query, status):
    assert said(page, "GET", f"{path}?{query}")[0] == status


def test_two_sessions_do_not_know_of_each_other(page):
    one, two = (f"/api/sessions/{said(page, 'POST', '/api/sessions')[1]['id']}" for _ in range(2))
    said(page, "POST", f"{one}/search", GOMOKU | {"seconds": 0.02})
    assert settled(page, one)["number"] == 1 and settled(page, two)["number"] == 0


@pytest.mark.parametrize("length, status", [("8193", 413), ("9" * 20, 413), ("-1", 400), ("1e3", 400), ("0x10", 400),
                                            ("", 400), (None, 411), ("5, 5", 400)])
def test_lengths(page, path, length, status):
    assert said(page, "POST", f"{path}/drop", b"", Content_Length=length)[0] == status


def head(page, *lines, method="POST", where="/api/sessions"):
    own = f"127.0.0.1:{page.port}"
    return "\r\n".join([f"{method} {where} HTTP/1.1", f"Host: {own}", f"Origin: http://{own}",
                        "Content-Type: application/json", *lines, "", ""]).encode()


def test_a_huge_body_is_refused_before_it_is_read(page):
    answer = raw(page, head(page, "Content-Length: 500000") + b"x" * 500000)
    assert answer.startswith(b"HTTP/1.0 413 ")


def test_requests_that_could_be_two_are_refused(page):
    for lines in (["Content-Length: 2", "Content-Length: 2"], ["Content-Length: 2", "Transfer-Encoding: chunked"],
                  ["Content-Length: 2", "Host: evil.example"], ["Content-Length: 2", "Origin: http://evil.example"],
                  ["Content-Length: 2", "Content-Type: text/plain"]):
        before = len(page.sessions)
        answer = raw(page, head(page, *lines) + b"{}")
        assert answer.split()[1] in (b"400", b"403", b"411", b"415") and len(page.sessions) == before
    assert raw(page, head(page, "Content-Length: 2", method="GET", where="/") + b"{}").startswith(b"HTTP/1.0 400 ")


@pytest.mark.parametrize("data", [
    b"\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
    b"GET / \r\n\r\n", b"A" * 20000 + b"\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 200 + b"\r\n",
    b"GET / HTTP/1.1\r\nHost\xff\xfe\r\n\r\n", b"GET /\r\nHost: evil\r\n\r\n",
])
def test_what_is_no_request_is_refused(page, data):
    answer = raw(page, data)
    assert answer == b"" or answer.startswith(b"HTTP/1.0 4") or answer.startswith(b"HTTP/1.0 505")
    assert ask(page, "GET", "/")[0] == 200


def test_a_head_without_end_is_cut_off(page):
    with socket.create_connection(("127.0.0.1", page.port), timeout=10) as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(b"GET / HTTP/1.1\r\n")
            for _ in range(100):
                connection.sendall(b"A: " + b"b" * 997 + b"\r\n")
        with contextlib.suppress(ConnectionError):
            assert connection.recv(100)[:12] in (b"", b"HTTP/1.0 431")


def test_slow_requests_end(monkeypatch, capsys):
    monkeypatch.setattr(limits, "REQUEST_SECONDS", 0.3)
    with serving() as page:
        with contextlib.ExitStack() as stack:
            begun = []
            for data in (b"", b"GET / HT", head(page, "Content-Length: 20") + b"{"):
                connection = stack.enter_context(socket.create_connection(("127.0.0.1", page.port), timeout=10))
                connection.sendall(data)
                begun.append(connection)
            slow = stack.enter_context(socket.create_connection(("127.0.0.1", page.port), timeout=10))
            begin = time.monotonic()
            with contextlib.suppress(ConnectionError):
                while time.monotonic() - begin < 8:
                    slow.sendall(b"A")  # a byte now and then is no excuse
                    time.sleep(0.05)
            assert time.monotonic() - begin < 8
            for connection in begun:
                with contextlib.suppress(ConnectionError):
                    assert connection.recv(100) == b""
        assert ask(page, "GET", "/")[0] == 200 and len(page.sessions) == 0
    assert capsys.readouterr().err == ""  # that is nothing to tell


def test_half_a_body_is_no_request(page):
    before = len(page.sessions)
    with socket.create_connection(("127.0.0.1", page.port), timeout=5) as connection:
        connection.sendall(head(page, "Content-Length: 20") + b"{}")
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(100) == b""
    assert len(page.sessions) == before


def test_too_many_connections_are_turned_away_and_room_comes_back(monkeypatch):
    monkeypatch.setattr(limits, "CONNECTIONS", 3)
    with serving() as page:
        held = [socket.create_connection(("127.0.0.1", page.port), timeout=5) for _ in range(3)]
        time.sleep(0.2)
        with socket.create_connection(("127.0.0.1", page.port), timeout=5) as one_more:
            with contextlib.suppress(ConnectionError):
                assert one_more.recv(100) == b""
        for connection in held:
            connection.close()
        deadline = time.monotonic() + 5
        while True:
            try:
                assert ask(page, "GET", "/")[0] == 200
                break
            except (ConnectionError, http.client.HTTPException):
                assert time.monotonic() < deadline


def test_sessions_are_counted():
    with serving(Limits(sessions=2, threads=1, memory_mb=16)) as page:
        assert [said(page, "POST", "/api/sessions")[0] for _ in range(4)] == [201, 201, 503, 503]


def test_unused_sessions_are_swept_while_it_serves(monkeypatch):
    monkeypatch.setattr(server, "SWEEP_SECONDS", 0.05)
    with serving() as page:
        key = said(page, "POST", "/api/sessions")[1]["id"]
        page.sessions.get(key).used -= 1e9
        page._next_sweep = 0.0
        deadline = time.monotonic() + 5
        while len(page.sessions):
            assert time.monotonic() < deadline
            time.sleep(0.02)


def test_the_end_comes_at_once_while_much_goes_on():
    with contextlib.ExitStack() as stack:
        with serving() as page:
            path = f"/api/sessions/{said(page, 'POST', '/api/sessions')[1]['id']}"
            said(page, "POST", f"{path}/search", GOMOKU)
            half = stack.enter_context(socket.create_connection(("127.0.0.1", page.port)))
            half.sendall(b"GET / HT")
            waiting = stack.enter_context(socket.create_connection(("127.0.0.1", page.port), timeout=20))
            waiting.sendall(head(page, method="GET", where=f"{path}?after=999999"))
            time.sleep(0.3)
            begin = time.monotonic()
        assert time.monotonic() - begin < 8  # of 30 seconds of search and 10 of patience
    with pytest.raises(ConnectionRefusedError):
        ask(page, "GET", "/")


def test_ctrl_c_while_the_thread_of_a_request_starts_ends_the_server(monkeypatch):
    class Interrupted(threading.Thread):
        def start(self):
            super().start()
            self.join()
            raise KeyboardInterrupt

    page = Server(0, mc.ConnectFour(), GRANTED)
    with contextlib.closing(page), socket.create_connection(("127.0.0.1", page.port), timeout=5) as connection:
        connection.sendall(head(page, method="GET", where="/"))
        monkeypatch.setattr(threading, "Thread", Interrupted)
        with pytest.raises(KeyboardInterrupt):
            page.serve_forever()


def test_the_end_comes_at_once_where_no_shutdown_of_a_socket_wakes_who_waits(monkeypatch):
    """As on Windows: connections that say nothing, or half of it, or take no answer."""
    for name in ("REQUEST_SECONDS", "SEND_SECONDS"):
        monkeypatch.setattr(limits, name, 120.0)
    monkeypatch.setattr(socket.socket, "shutdown", lambda connection, how: None)
    with contextlib.ExitStack() as stack:
        with serving() as page:
            page.files["/large"] = "text/plain", b"x" * 50_000_000
            key = said(page, "POST", "/api/sessions")[1]["id"]
            said(page, "POST", f"/api/sessions/{key}/search", GOMOKU)
            get = {"method": "GET", "where": f"/api/sessions/{key}?after=999999"}
            begun = [b"", b"GET / HT", head(page, "Content-Length: 20") + b"{", head(page, **get),
                     head(page, "Connection: keep-alive", method="GET", where="/"),
                     head(page, method="GET", where="/large")]
            for data in begun:
                connection = stack.enter_context(socket.create_connection(("127.0.0.1", page.port)))
                connection.sendall(data)
            time.sleep(0.3)
            begin = time.monotonic()
        assert time.monotonic() - begin < 30  # of 120


def test_an_answer_that_nobody_takes_ends(monkeypatch):
    monkeypatch.setattr(limits, "SEND_SECONDS", 0.3)
    with serving() as page:
        page.files["/large"] = "text/plain", b"x" * 50_000_000
        with socket.create_connection(("127.0.0.1", page.port), timeout=20) as connection:
            connection.sendall(head(page, method="GET", where="/large"))
            size = len(connection.recv(1))
            time.sleep(1)
            with contextlib.suppress(ConnectionError):
                while part := connection.recv(1 << 20):
                    size += len(part)
        assert size < 50_000_000
        monkeypatch.undo()
        status, _, text = ask(page, "GET", "/large")
        assert status == 200 and len(text) == 50_000_000  # whoever takes it gets all of it


def test_a_failure_of_the_server_itself_is_told_on_its_terminal(page, path, monkeypatch, capsys):
    monkeypatch.setattr("mcts_core.web.session.Session.drop", lambda session: 1 / 0)
    status, answer = said(page, "POST", f"{path}/drop")
    assert status == 500 and answer["error"] == "the server failed; its terminal says how"
    assert "ZeroDivisionError" in capsys.readouterr().err
    assert said(page, "GET", path)[0] == 200


def test_a_port_that_is_taken(page):
    with pytest.raises(OSError):
        Server(page.port, mc.ConnectFour(), GRANTED)


@pytest.mark.parametrize("options", [{"seconds": 31}, {"seconds": 0}, {"threads": 3}])
def test_defaults_beyond_the_limits_are_refused(options):
    with pytest.raises(Refused, match="must be"):
        Server(0, mc.ConnectFour(), GRANTED, **options)


def test_a_failure_of_the_users_game_is_told_to_the_visitor_too(capsys):
    class Broken(SmallNim):
        def legal_moves(self):
            raise ValueError("no piles")

    with serving(game=Broken(), name="module:Broken") as page:
        key = said(page, "POST", "/api/sessions")[1]["id"]
        status, answer = said(page, "POST", f"/api/sessions/{key}/position", {"game": {"name": "module:Broken"}})
    assert (status, answer["error"]) == (500, "module:Broken failed: ValueError: no piles")
    assert "ValueError: no piles" in capsys.readouterr().err


def test_numbers_of_numpy_reach_the_page_as_numbers():
    numpy = pytest.importorskip("numpy")

    class Numbers(SmallNim):
        @property
        def to_move(self):
            return numpy.int64(self._to_move)

        @to_move.setter
        def to_move(self, player):
            self._to_move = player

    with serving(game=Numbers(), name="module:Numbers") as page:
        key = said(page, "POST", "/api/sessions")[1]["id"]
        status, answer = said(page, "POST", f"/api/sessions/{key}/position", {"game": {"name": "module:Numbers"}})
    assert status == 200 and answer["to_move"] in (1, -1)
