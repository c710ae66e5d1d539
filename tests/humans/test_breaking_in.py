"""Trying to get in, out and at what is not one's own."""

from __future__ import annotations

import http.client
import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson
import pytest

from subitize.humans import guard, web
from subitize.humans.serving import opened, study_folder
from subitize.humans.study import Study
from subitize.humans.web import in_thread
from tests.humans.conftest import Serve
from tests.humans.served import Visitor
from tests.humans.taking import taker

NASTY = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
PRIVATE = ("/desk", "/desk/screen", "/desk/picture/x")


@pytest.fixture
def study(painted: Path, serve: Serve) -> tuple[str, Any]:
    given = Study("geckonum-task1", "apples", NASTY, run=str(painted), training=False)
    return serve(given)


def test_no_page_of_the_researcher_opens_without_the_token(study: tuple[str, Any]) -> None:
    base, here = study
    one = taker(base, here)
    one.begin()  # whoever takes part is no researcher
    for path in PRIVATE:
        assert one.get(path).status == 403
        assert one.get(f"{path}?token={here.site.token[:-1]}").status == 403
    for path, fields in (("/desk/links", {"many": "5"}), ("/desk/state", {"state": "closed"}),
                         ("/desk/screen", {"item": "x", "verdict": "drop"})):  # fmt: skip
        assert one.post(path, fields).status == 403
    assert len(here.desk.people) == 1


def test_links_cannot_be_guessed_nor_others_pictures_seen(study: tuple[str, Any]) -> None:
    base, here = study
    one, two = taker(base, here), taker(base, here)
    one.begin()
    two.begin()
    mine = here.desk.people["p001"].given[0].number
    other = here.desk.people["p002"].given[0].number
    assert one.get(f"{one.path}/picture/{mine}").status == 200
    assert one.get(f"{one.path}/picture/{other}").status == 404
    for guess in ("", "p001", "../desk", "%2e%2e", "x" * 32, one.path[:-1], one.path + "a"):
        assert Visitor(base).get(f"/p/{guess}").status in (404, 405)
    hashed = here.desk.people["p001"].link
    assert Visitor(base).get(f"/p/{hashed}").status == 404  # the database gives no link away


@pytest.mark.parametrize(
    "path",
    ["/p/{link}/picture/../../../study.json", "/p/{link}/picture/..%2f..%2fstudy.db",
     "/p/{link}/picture/-1", "/p/{link}/picture/1%00", "/static/..%2f..%2fweb.py",
     "/static/%2e%2e/%2e%2e/web.py", "//etc/passwd", "/p/{link}/picture/1e9"],
)  # fmt: skip
def test_no_address_reaches_the_file_system(study: tuple[str, Any], path: str) -> None:
    base, here = study
    one = taker(base, here)
    one.begin()
    connection = http.client.HTTPConnection(urlsplit(base).netloc)
    connection.request("GET", path.format(link=one.path.removeprefix("/p/")))
    answer = connection.getresponse()
    text = answer.read()
    assert answer.status in (400, 404)
    assert b"secret" not in text
    assert b"import" not in text
    connection.close()


def test_forms_of_others_and_strange_fields_change_nothing(study: tuple[str, Any]) -> None:
    base, here = study
    one, evil = taker(base, here), Visitor(base)
    found = one.begin().form("/answer")
    assert found is not None
    evil.get("/")
    fields = {**found[1], "value": "3"}
    assert evil.post(found[0], {**fields, "csrf": evil.csrf + "0"}).status == 403
    assert one.post(found[0], {**fields, "csrf": "x"}).status == 403
    for odd in ({"given": "-1"}, {"given": "9" * 30}, {"question": "1e3"}, {"given": "١"},
                {"given": "1; DROP TABLE answers"}):  # fmt: skip
        assert one.post(found[0], {**fields, **odd}).status == 200
    assert here.desk.store.read("SELECT count(*) FROM answers") == [(0,)]
    odd_time = {**fields, "seconds": "-5", "facts": '{"a": ' + "9" * 400}
    assert one.post(found[0], odd_time).status == 200
    (seconds,) = here.desk.store.read("SELECT seconds FROM answers")[0]
    assert 0 <= seconds < 600


def test_everything_is_escaped(study: tuple[str, Any]) -> None:
    base, here = study
    one = taker(base, here)
    assert NASTY not in one.get(one.path).text
    assert "&lt;script&gt;" in one.get(one.path).text
    one.begin()
    one.send("/answer", value=f"3 {NASTY}"[:60])
    desk = Visitor(base)
    desk.get(f"/desk?token={here.site.token}")
    for path in ("/desk", "/desk/screen", "/"):
        assert "<script>alert" not in desk.get(path).text
        assert "onerror=alert(1)>" not in desk.get(path).text.replace("&gt;", "")


def test_secrets_and_prompts_stay_on_the_server(study: tuple[str, Any]) -> None:
    base, here = study
    one = taker(base, here)
    one.begin()
    got = one.get(one.path)
    prompts = {item.about.get("prompt", "") for item in here.desk.items.values()} - {""}
    assert prompts
    assert not any(prompt in got.text for prompt in prompts)
    assert "geckonum_0" not in got.text
    for secret in (here.site.token, here.site.secret.hex()):
        assert secret not in got.text
        assert secret not in str(got.headers)


def test_nothing_personal_is_stored(study: tuple[str, Any]) -> None:
    base, here = study
    one = taker(base, here)
    one.begin()
    one.send("/answer", value="3", facts='{"width": 390}')
    store = here.desk.store
    everything = str([store.read(f"SELECT * FROM {name}") for name in
                      ("people", "given", "answers", "meta", "panel_ids")])  # fmt: skip
    assert "127.0.0.1" not in everything
    assert "Python-urllib" not in everything


@pytest.mark.parametrize(
    "facts",
    ["[" * 400 + "]" * 400, '{"width": ' + "[" * 300 + "]" * 300 + "}", '{"width": "me@home.org"}',
     '{"name": "Anna"}', "[1]", "1e999", '"\\ud800"', "{" + " " * 3000 + "}"],
)  # fmt: skip
def test_what_comes_beside_an_answer_never_costs_it(study: tuple[str, Any], facts: str) -> None:
    base, here = study
    one = taker(base, here)
    one.begin()
    assert one.send("/answer", value="3", facts=facts).status == 200
    ((value, kept),) = here.desk.store.read("SELECT value, facts FROM answers")
    assert value == "3"
    assert set(orjson.loads(kept)) == {"server_seconds", "clock"}


def raw_status(base: str, **headers: str) -> int:
    connection = http.client.HTTPConnection(urlsplit(base).netloc)
    connection.putrequest("GET", "/", skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    status = connection.getresponse().status
    connection.close()
    return status


def test_names_that_are_none_are_refused(study: tuple[str, Any]) -> None:
    base, _ = study
    for host in ("[", "[::1", "evil.example", "", "127.0.0.1@evil.example", "]:80"):
        assert raw_status(base, Host=host) == 421
    for origin in ("http://[", "http://evil.example", "//", "file:///etc"):
        assert raw_status(base, Origin=origin) == 403


def test_nobody_sends_headers_without_an_end(study: tuple[str, Any]) -> None:
    address = urlsplit(study[0])
    with socket.create_connection((address.hostname, address.port)) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX: ")
        try:
            for _ in range(200):
                line.sendall(b"a" * 65536)
        except OSError:
            return  # it has hung up
        assert line.recv(100).startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize(
    "begun", [b"", b"GET / HT", b"POST /enter HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: "
              b"application/x-www-form-urlencoded\r\nContent-Length: 99\r\n\r\ncsrf="],
    ids=["silent", "head", "body"],
)  # fmt: skip
def test_nobody_holds_a_line_for_ever(
    study: tuple[str, Any], begun: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (guard, web):
        monkeypatch.setattr(module, "PATIENCE", 0.2)
    address = urlsplit(study[0])
    with socket.create_connection((address.hostname, address.port)) as line:
        line.sendall(begun)
        said = b""
        while more := line.recv(4096):  # until it has hung up
            said += more
    assert said.startswith(b"HTTP/1.1 408") if b"POST" in begun else said == b""


def test_a_number_that_is_too_long_is_no_error(study: tuple[str, Any]) -> None:
    base, here = study
    desk = Visitor(base)
    desk.get(f"/desk?token={here.site.token}")
    for many in ("9" * 5000, "501", "0", "-1", "x", "", "0000000010000", "٣"):
        assert desk.post("/desk/links", {"many": many}).status == 422
    assert not here.desk.people


def test_a_proxy_may_have_a_port_and_tell_another_host(painted: Path, tmp_path: Path) -> None:
    study = Study("geckonum-task1", "apples", run=str(painted), training=False)
    folder = study_folder(tmp_path, study, "")
    with opened(folder, origin="http://study.example:8443") as here, in_thread(here.app) as base:
        one = taker(base, here)
        found = one.look().form("/consent")
        assert found is not None
        for origin, status in (("http://evil.example:8443", 403), ("http://study.example:1", 403),
                               ("http://study.example:8443", 200)):  # fmt: skip
            assert one.post(found[0], {**found[1], "agree": "yes"}, Origin=origin).status == status
