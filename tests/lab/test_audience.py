"""The audience's server meets a hostile room: what it serves, what it counts, and all that it refuses."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tensorkit import cli
from tensorkit.lab import present, server
from tensorkit.lab.audience import relay as relays
from tensorkit.lab.audience.limits import MOST_CONNECTIONS, MOST_CONNECTIONS_OF_AN_ADDRESS, Limits
from tensorkit.lab.audience.relay import Relay, audience
from tensorkit.lab.audience.room import (
    MOST_PHONES,
    MOST_PHONES_OF_AN_ADDRESS,
    MOST_PICTURE_BYTES,
    MOST_QUESTIONS,
    MOST_SCENES,
    Refused,
    Room,
)
from tensorkit.lab.audience.site import MOST_BODY
from tensorkit.lab.errors import LabError
from tests.support.ports import first_port

QUESTION: dict[str, Any] = {
    "key": "q",
    "ask": "How `many`?",
    "options": ["one", "two", "three"],
    "open": True,
}
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><text>a &lt; b</text></svg>'
SCENE = {
    "key": "c1 0",
    "cell": "c1",
    "scene": 0,
    "step": 2,
    "title": "x",
    "name": "turned",
    "said": "It turns.",
    "text": "x:",
    "svg": SVG,
}
PHONE = "0123456789abcdef" * 2


# ---- the room, without a server


def asked(room: Room) -> list[dict[str, Any]]:
    questions: list[dict[str, Any]] = json.loads(room.state())["questions"]
    return questions


def test_a_phone_is_counted_once_and_may_change_its_mind_until_the_answer_is_shown() -> None:
    room = Room("x")
    room.hear({"questions": [QUESTION]})
    [question] = asked(room)
    for phone, option in ((PHONE, 0), ("f" * 32, 2), (PHONE, 2)):
        room.answer(phone, question["id"], option, "10.0.0.1")
    assert room.counts()["questions"] == [{"key": "q", "answers": 2, "counts": [0, 0, 2], "shown": False}]
    assert asked(room)[0]["counts"] is None, "no count before the presenter opens it"
    room.hear({"shown": True})
    assert asked(room)[0]["counts"] == [0, 0, 2]
    room.hear({"questions": [QUESTION | {"open": False, "right": 1}]})
    assert [asked(room)[0][name] for name in ("id", "open", "right")] == [question["id"], False, 1]
    with pytest.raises(Refused, match="closed"):
        room.answer(PHONE, question["id"], 0, "10.0.0.1")
    room.hear({"questions": [QUESTION]})
    [again] = asked(room)
    assert (again["id"] != question["id"], again["counts"]) == (True, None), "asked of another room"
    assert room.counts()["questions"][0]["answers"] == 0


def test_answers_are_kept_while_the_talk_is_elsewhere_and_a_question_that_is_gone_takes_none() -> None:
    room = Room("x")
    room.hear({"questions": [QUESTION]})
    number = asked(room)[0]["id"]
    room.answer(PHONE, number, 0, "10.0.0.1")
    room.hear({"questions": []})
    with pytest.raises(Refused, match="not asked now") as refusal:
        room.answer(PHONE, number, 1, "10.0.0.1")
    assert refusal.value.status == 404
    room.hear({"questions": [QUESTION]})
    assert room.counts()["questions"][0]["counts"] == [1, 0, 0]
    room.hear({"questions": [QUESTION | {"options": ["one", "four"]}]})
    assert room.counts()["questions"][0]["counts"] == [0, 0], "the cell was edited: another question"


@pytest.mark.parametrize("option", [-1, 3, 10**300])
def test_an_option_that_is_not_there_is_not_counted(option: int) -> None:
    room = Room("x")
    room.hear({"questions": [QUESTION]})
    with pytest.raises(Refused, match="no such option"):
        room.answer(PHONE, asked(room)[0]["id"], option, "10.0.0.1")
    assert room.counts()["questions"][0]["answers"] == 0


@pytest.mark.parametrize("address", ["10.0.0.1", None])
def test_there_is_a_most_of_phones_in_all_and_behind_one_address(address: str | None) -> None:
    room = Room("x")
    room.hear({"questions": [QUESTION]})
    number = asked(room)[0]["id"]
    most = MOST_PHONES if address is None else MOST_PHONES_OF_AN_ADDRESS
    for phone in range(most):
        room.answer(f"{phone:032x}", number, 0, address or f"10.0.{phone // 20}.1")
    with pytest.raises(Refused, match="full") as refusal:
        room.answer("f" * 32, number, 0, address or "10.9.9.9")
    assert refusal.value.status == 503
    room.answer(f"{0:032x}", number, 1, address or "10.0.0.1")
    assert room.counts()["questions"][0]["counts"] == [most - 1, 1, 0], "those that are in go on answering"


def test_what_the_room_keeps_has_a_limit() -> None:
    room = Room("x")
    for k in range(2 * MOST_SCENES):
        room.hear({"scene": SCENE | {"key": f"c{k}"}})
    assert len(room.scenes) == MOST_SCENES
    for k in range(10):
        room.hear(
            {"scene": SCENE | {"key": f"large {k}", "svg": f"<svg>{'x' * (MOST_PICTURE_BYTES // 4)}</svg>"}}
        )
    assert 1 < len(room.scenes) < 10
    assert sum(one.weight for one in room.scenes) <= MOST_PICTURE_BYTES
    for k in range(2 * MOST_QUESTIONS):
        room.hear({"questions": [QUESTION | {"key": f"q{k}"}]})
    assert len(room._known) == MOST_QUESTIONS


@pytest.mark.parametrize(
    "message",
    [
        {"scene": 3},
        {"scene": {"svg": "<script>", "title": 3}},
        {"questions": 3},
        {"questions": [3, {}, {"options": [1, 2]}, {"options": ["a"]}]},
        {"shown": 3},
        {},
    ],
)  # fmt: skip
def test_what_is_malformed_is_left_out(message: dict[str, Any]) -> None:
    room = Room("x")
    room.hear(message)
    state = json.loads(room.state())
    assert all(not one["drawn"] for one in state["scenes"])
    assert [one["options"] for one in state["questions"]] in ([], [["", ""]])


def test_a_scene_that_is_drawn_again_takes_its_own_place() -> None:
    room = Room("x", css=".a&gt;b{}")
    for key in ("c1 0", "c1 1", "c1 0"):
        room.hear({"scene": SCENE | {"key": key}})
    assert [(one.key, one.number) for one in room.scenes] == [("c1 1", 2), ("c1 0", 3)]
    assert room.scenes[1].svg == SVG.replace("><text", "><style>.a&gt;b{}</style><text")
    room.hear({"scene": None})
    state = json.loads(room.state())
    assert (state["onStage"], [one["id"] for one in state["scenes"]]) == (False, [2, 3])


# ---- the limits


def test_one_client_cannot_take_what_belongs_to_the_others() -> None:
    now = [0.0]
    limits = Limits(clock=lambda: now[0])
    assert sum(limits.asks("10.0.0.1") for _ in range(1000)) == Limits.BURST
    assert limits.asks("10.0.0.2")
    now[0] = 1.0
    assert sum(limits.asks("10.0.0.1") for _ in range(1000)) == Limits.RATE
    assert sum(limits.guesses("10.0.0.3") for _ in range(1000)) == Limits.GUESSES_BURST
    assert sum(limits.answers("10.0.0.1") for _ in range(1000)) == Limits.ANSWERS_BURST
    assert sum(limits.asks(f"10.1.{k // 200}.{k % 200}") for k in range(5000)) <= Limits.ALL_BURST
    assert len(limits._asked) <= 4 * 1024, "however many addresses there are"


def test_connections_are_counted_and_let_go() -> None:
    now = [0.0]
    limits = Limits(clock=lambda: now[0])
    assert sum(limits.connects("10.0.0.1") for _ in range(100)) == MOST_CONNECTIONS_OF_AN_ADDRESS
    limits.leaves("10.0.0.1")
    assert limits.connects("10.0.0.1")
    others = sum(limits.connects(f"10.0.1.{k % 250}") for k in range(2 * MOST_CONNECTIONS))
    assert others == MOST_CONNECTIONS - MOST_CONNECTIONS_OF_AN_ADDRESS


# ---- the server


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Relay]:
    exported = tmp_path / "02_page"
    (exported / "code").mkdir(parents=True)
    (exported / "index.html").write_text("<h1>the lesson</h1>")
    (exported / "code" / "a.js").write_text("1")
    (tmp_path / "secret.txt").write_text("secret")
    with contextlib.suppress(OSError):
        (exported / "linked.txt").symlink_to(tmp_path / "secret.txt")
    address = f"127.0.0.1:{server.free_port(first_port() + 7)}"
    with audience("A <b>talk</b>", address=address, css=".t{}", exported=exported) as one:
        one.tell({"questions": [QUESTION], "scene": SCENE})
        patiently(lambda: len(one.counts["questions"]) == 1)
        yield one


def patiently(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.02)


def host(room: Relay) -> str:
    return room.address.split("/")[2]


def ask(
    room: Relay, path: str, method: str = "GET", body: bytes | None = None, **headers: str
) -> tuple[int, bytes, dict[str, str]]:
    """The answer to a request; ``path`` is taken as it is, a leading slash leaves the room's code out."""
    base = "" if path.startswith("/") else "/" + room.address.split("/")[3] + "/"
    connection = http.client.HTTPConnection(host(room), timeout=20)
    try:
        connection.putrequest(method, base + path, skip_host="Host" in headers)
        if body is not None:
            headers.setdefault("Content-Length", str(len(body)))
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders(body)
        answer = connection.getresponse()
        return answer.status, answer.read(), dict(answer.getheaders())
    finally:
        connection.close()


def vote(room: Relay, told: object, kind: str = "application/json", **headers: str) -> int:
    body = told if isinstance(told, bytes) else json.dumps(told).encode()
    headers = {"Origin": f"http://{host(room)}", "Content-Type": kind, **headers}
    return ask(room, "answer", "POST", body, **headers)[0]


def number(room: Relay) -> int:
    found: int = json.loads(ask(room, "state")[1])["questions"][0]["id"]
    return found


def test_the_page_and_what_it_shows_are_served_and_nothing_else(room: Relay) -> None:
    status, page, headers = ask(room, "")
    assert (status, b"room.js" in page, "Server" in headers, "Set-Cookie" in headers) == (
        200,
        True,
        False,
        False,
    )
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    state = json.loads(ask(room, "state")[1])
    assert (state["lesson"], state["onStage"], state["questions"][0]["counts"]) == (
        "A <b>talk</b>",
        True,
        None,
    )
    assert ask(room, f"state/{state['revision']}")[0] == 204, "nothing is sent twice"
    scene = state["scenes"][0]["id"]
    status, svg, headers = ask(room, f"scene/{scene}.svg")
    assert (status, svg) == (200, SVG.replace("><text", "><style>.t{}</style><text").encode())
    assert headers["Content-Security-Policy"].endswith("sandbox")
    assert json.loads(ask(room, f"scene/{scene}.json")[1]) == {
        "said": "It turns.",
        "text": "x:",
        "cell": "c1",
        "scene": 0,
        "step": 2,
    }
    for name, kind in (("room.js", "text/javascript"), ("room.css", "text/css")):
        assert ask(room, name)[2]["Content-Type"] == f"{kind}; charset=UTF-8"


def test_the_exported_lesson_is_served_as_it_lies_there(room: Relay) -> None:
    assert json.loads(ask(room, "state")[1])["play"] is True
    assert ask(room, "play/index.html")[1] == b"<h1>the lesson</h1>"
    assert ask(room, "play/code/a.js")[:2] == (200, b"1")
    outside = (
        "play/", "play/code", "play/linked.txt", "play/../secret.txt", "play/%2e%2e/secret.txt", "play/..%2fsecret.txt",
        "play/code/../../secret.txt", "play//etc/passwd", "play/%2fetc%2fpasswd", "play/..%5csecret.txt", "play/a%00b",
    )  # fmt: skip
    for path in outside:
        status, body, _ = ask(room, path)
        assert (status, b"secret" in body) == (404, False), path


def test_other_addresses_and_methods_do_not_exist(room: Relay) -> None:
    code = room.address.split("/")[3]
    other = "a" * 6 if code != "a" * 6 else "b" * 6
    for path in ("/", f"/{other}/", f"/{other}", f"/{code}/../x", f"/{code}/room.html", "/%2e%2e/etc/passwd"):
        assert ask(room, path)[0] == 404, path
    for path in ("scene/99.svg", "scene/-1.svg", "scene/1.html"):
        assert ask(room, path)[0] == 404, path
    for method in ("PUT", "DELETE", "HEAD", "OPTIONS", "TRACE"):
        assert ask(room, "answer", method)[0] == 405, method
    status, _, headers = ask(room, f"/{code}")
    assert (status, headers["Location"]) == (302, f"/{code}/"), "as it is typed"
    assert ask(room, "answer")[0] == 405
    assert ask(room, "", "POST", b"{}")[0] == 405
    assert ask(room, "", Host="evil.example")[0] == 421, "a name that was pointed here"


def test_guessing_the_rooms_code_is_slow(room: Relay) -> None:
    answers = [ask(room, f"/{k:06}/")[0] for k in range(40)]
    assert answers[: Limits.GUESSES_BURST] == [404] * Limits.GUESSES_BURST
    assert answers.count(404) < Limits.GUESSES_BURST + 10
    assert answers[-1] == 429
    assert ask(room, "")[0] == 200, "those who know it are let in, from the same address too"


def test_an_answer_is_counted_and_its_count_reaches_the_presenter(room: Relay) -> None:
    answer = {"phone": PHONE, "question": number(room), "option": 1}
    assert vote(room, answer) == 204
    assert vote(room, answer | {"option": 2}) == 204
    assert vote(room, answer | {"phone": "f" * 32}) == 204
    patiently(lambda: room.counts["questions"][0]["counts"] == [0, 1, 1])
    assert room.counts == {"questions": [{"key": "q", "answers": 2, "counts": [0, 1, 1], "shown": False}]}
    room.tell({"shown": True})
    patiently(lambda: json.loads(ask(room, "state")[1])["questions"][0]["counts"] == [0, 1, 1])


CHANGES: list[dict[str, Any]] = [
    *({"phone": phone} for phone in ("x" * 32, PHONE.upper(), PHONE + "0", 3, None)),
    *({"option": option} for option in ("1", True, 1.0, None, 9, -1, 10**200)),
    {"question": [1]},
    {"question": True},
    {"more": 1},
]


def test_an_answer_of_another_shape_is_refused(room: Relay) -> None:
    answer = {"phone": PHONE, "question": number(room), "option": 1}
    assert [vote(room, answer | change) for change in CHANGES] == [400] * len(CHANGES)
    for name in answer:
        assert vote(room, {key: value for key, value in answer.items() if key != name}) == 400, name
    assert room.counts["questions"][0]["answers"] == 0


def test_what_is_no_answer_is_refused_and_the_room_goes_on(room: Relay) -> None:
    for body in (b"", b"[]", b"3", b"null", b"{", b"\xff", b"[" * 1000, b'{"phone": 1e999}', b"NaN"):
        assert vote(room, body) == 400, body
    answer = {"phone": PHONE, "question": number(room), "option": 1}
    assert vote(room, answer | {"question": 999}) == 404
    for origin in ("http://evil.example", "null", f"https://{host(room)}", "http://127.0.0.1"):
        assert vote(room, answer, Origin=origin) == 403, origin
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        assert vote(room, answer, kind) in (400, 415), "what a form of another page can send"
    assert ask(room, "answer", "POST", json.dumps(answer).encode())[0] == 403, "without an origin"
    assert room.counts["questions"][0]["answers"] == 0
    assert vote(room, answer) == 204


def test_an_answer_that_is_too_large_is_not_read(room: Relay) -> None:
    assert vote(room, b"x" * (MOST_BODY + 1)) in (400, 413)
    with contextlib.suppress(ConnectionError):  # it may be cut off while it is sent
        assert vote(room, b"x" * 10_000_000) in (400, 413)
    chunk = b"%x\r\n%s\r\n" % (MOST_BODY, b"x" * MOST_BODY)
    said = raw(room, lines(room, "POST", "Transfer-Encoding: chunked") + 4 * chunk + b"0\r\n\r\n")
    assert said.startswith((b"HTTP/1.1 400", b"HTTP/1.1 413")) or said == b""
    assert ask(room, "state")[0] == 200


def test_headers_that_are_too_large_or_malformed_end_the_connection(room: Relay) -> None:
    for request in (
        lines(room, "GET", "X: " + "x" * 20_000),
        b"nonsense\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x00\x16\x03" * 100 + b"\r\n\r\n",
        lines(room, "POST", "Content-Length: -5"),
        lines(room, "POST", "Content-Length: 5, 6"),
    ):
        assert raw(room, request)[:12] in (b"", b"HTTP/1.1 400"), request[:40]
    assert ask(room, "state")[0] == 200


def lines(room: Relay, method: str, *headers: str) -> bytes:
    code = room.address.split("/")[3]
    head = [
        f"{method} /{code}/answer HTTP/1.1",
        f"Host: {host(room)}",
        f"Origin: http://{host(room)}",
        *headers,
    ]
    return "\r\n".join([*head, "Connection: close", "", ""]).encode()


def raw(room: Relay, request: bytes) -> bytes:
    """What the server says to bytes, until it closes the connection."""
    name, port = host(room).split(":")
    with socket.create_connection((name, int(port)), timeout=20) as one, contextlib.suppress(ConnectionError):
        one.sendall(request)
        said = b""
        while piece := one.recv(65536):
            said += piece
        return said
    return b""


def test_a_flood_is_refused_and_afterwards_the_room_goes_on(room: Relay) -> None:
    answers = []
    for _ in range(600):
        try:
            answers.append(vote(room, {"phone": PHONE, "question": 1, "option": 1}))
        except ConnectionError:  # not even the connection is taken
            answers.append(429)
    assert answers.count(429) > 100
    time.sleep(2)
    assert ask(room, "state")[0] == 200


def test_many_connections_of_one_address_are_too_many(room: Relay) -> None:
    name, port = host(room).split(":")
    with contextlib.ExitStack() as held:
        for _ in range(MOST_CONNECTIONS_OF_AN_ADDRESS):
            held.enter_context(socket.create_connection((name, int(port)), timeout=20))
        time.sleep(0.5)
        one = held.enter_context(socket.create_connection((name, int(port)), timeout=20))
        with contextlib.suppress(ConnectionError):
            assert one.recv(1) == b"", "it is closed at once"
    time.sleep(1)
    assert ask(room, "state")[0] == 200


def test_a_client_that_dawdles_is_let_go_and_holds_nobody_up(room: Relay) -> None:
    name, port = host(room).split(":")
    began = time.monotonic()
    with socket.create_connection((name, int(port)), timeout=30) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
        with socket.create_connection((name, int(port)), timeout=30) as body:
            body.sendall(lines(room, "POST", "Content-Length: 100") + b"{")
            assert ask(room, "state")[0] == 200
            while body.recv(65536):
                pass
            assert time.monotonic() - began < 10
        while slow.recv(65536):
            pass
    assert 5 < time.monotonic() - began < 20


def test_a_client_that_does_not_read_is_let_go(room: Relay) -> None:
    room.tell({"scene": SCENE | {"svg": f"<svg>{'x' * 8_000_000}</svg>"}})
    patiently(lambda: b'"id": 3' in ask(room, "state")[1])
    name, port = host(room).split(":")
    code = room.address.split("/")[3]
    with socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect((name, int(port)))
        slow.settimeout(60)
        slow.sendall(f"GET /{code}/scene/3.svg HTTP/1.1\r\nHost: {name}:{port}\r\n\r\n".encode())
        time.sleep(1)
        assert ask(room, "state")[0] == 200
        time.sleep(21)
        got = 0
        with contextlib.suppress(ConnectionError):
            while piece := slow.recv(65536):
                got += len(piece)
    assert got < 8_000_000


# ---- how it begins and ends


def test_it_ends_with_the_talk_even_when_the_talk_is_killed(tmp_path: Path) -> None:
    port = server.free_port(first_port() + 17)
    program = f"""
import os
from tensorkit.lab.audience.relay import audience
with audience("x", address="127.0.0.1:{port}") as room:
    print(room._process.pid, flush=True)
    os.kill(os.getpid(), 9)
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60
    )
    assert (ended.returncode != 0, ended.stderr) == (True, "")
    assert int(ended.stdout) > 0
    patiently(lambda: _free(port))


def _free(port: int) -> bool:
    with socket.socket() as trial:
        return trial.connect_ex(("127.0.0.1", port)) != 0


def test_it_listens_at_its_one_address_and_knows_nothing_of_jupyter(room: Relay) -> None:
    if not Path("/proc").is_dir():
        pytest.skip("what a process has open is read in /proc")
    process = Path(f"/proc/{room._process.pid}")
    environment = (process / "environ").read_bytes()
    assert b"JUPYTER" not in environment
    assert b"TOKEN" not in environment.upper() or "TOKEN" in "".join(os.environ).upper()
    assert (process / "cmdline").read_bytes().split(b"\0")[1:-1] == [b"-P", b"-m", b"tensorkit.lab.audience"]
    listening = [line.split() for line in (process / "net" / "tcp").read_text().splitlines()[1:]]
    port = f"{int(host(room).split(':')[1]):04X}"
    own = [line[1] for line in listening if line[3] == "0A" and line[1].endswith(f":{port}")]
    assert own == [f"0100007F:{port}"], "at no other address of this computer"


@pytest.mark.parametrize(
    "address", ["0.0.0.0", "224.0.0.1", "localhost", "::1", "10.0.0.1:0", "10.0.0.1:x", "10.0.0.1:70000", ""]
)
def test_an_address_is_one_of_this_computer(address: str) -> None:
    with pytest.raises(LabError, match=r"is not an address of this computer in a network; name one such as"):
        relays.place(address)


def test_an_address_of_another_computer_and_a_port_that_is_taken_are_said() -> None:
    with (
        pytest.raises(LabError, match=r"Nothing can listen for the audience at 203\.0\.113\.9"),
        audience("x", address="203.0.113.9"),
    ):
        pass
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with (
            pytest.raises(LabError, match=rf"127\.0\.0\.1:{port} \(.*in use"),
            audience("x", address=f"127.0.0.1:{port}"),
        ):
            pass
    assert relays.current() is None


def test_without_the_word_there_is_no_audience(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[Relay | None] = []
    monkeypatch.setattr(server, "serve", lambda *_: seen.append(relays.current()))
    words = ["tensorkit", "present", "02", str(tmp_path / "mine"), "--no-rehearsal", "--no-browser"]
    monkeypatch.setattr("sys.argv", words)
    with pytest.raises(SystemExit, match="0"):
        cli.main()
    said = capsys.readouterr().out
    assert (seen, "phone" in said.lower()) == ([None], False)
    monkeypatch.setattr("sys.argv", [*words, "--audience-address", "127.0.0.1"])
    with pytest.raises(SystemExit, match="0"):
        cli.main()
    said = capsys.readouterr().out
    assert seen[1] is not None
    assert f"For phones:      {seen[1].address}" in said
    assert "█" in said, "and the code to scan"
    assert relays.current() is None


def test_the_exported_lesson_is_found_beside_its_notebook(tmp_path: Path) -> None:
    assert present.exported(tmp_path / "02.ipynb") is None
    (tmp_path / "02_page").mkdir()
    assert present.exported(tmp_path / "02.ipynb") is None
    (tmp_path / "02_page" / "index.html").touch()
    assert present.exported(tmp_path / "02.ipynb") == tmp_path / "02_page"
