"""The ground of all pages: who gets in, what is refused, what no page may do."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from subitize.humans.guard import Limits, Rates, signed, unsigned
from subitize.humans.web import Site, data, form, in_thread, make_app, page, researcher, session
from tests.humans.served import Visitor

SITE = Site("A <b>study</b>", limits=Limits(session_rate=5, body=2000))


async def say(request: Any) -> Any:
    said = (await form(request)).get("said", "") if request.method == "POST" else "hello"
    return page(request, "message.html", message=said)


async def who(request: Any) -> Any:
    return data({"session": session(request)})


async def broken(request: Any) -> Any:
    raise ZeroDivisionError("secret words")


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    routes = [
        ("GET POST", "/", say),
        ("GET", "/who", who),
        ("GET", "/broken", broken),
        ("GET", "/desk", researcher(say)),
        ("POST", "/desk/save", researcher(say)),
    ]
    with in_thread(make_app(SITE, routes)) as address:
        yield address


def test_every_answer_carries_the_policy(base: str) -> None:
    for path in ("/", "/who", "/static/style.css", "/nowhere", "/desk", "/broken"):
        headers = Visitor(base).get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


def test_what_somebody_says_is_escaped(base: str) -> None:
    visitor = Visitor(base)
    assert "A &lt;b&gt;study" in visitor.get("/").text
    got = visitor.post("/", {"said": "<script>alert(1)</script>"})
    assert "&lt;script&gt;alert(1)" in got.text
    assert "<script>alert" not in got.text


def test_a_visitor_keeps_its_name_and_cannot_make_one_up(base: str) -> None:
    visitor, other = Visitor(base), Visitor(base)
    first = visitor.get("/who").text
    assert visitor.get("/who").text == first != other.get("/who").text
    forged = Visitor(base).get("/who", Cookie=f"{SITE.cookie}=me.{'0' * 64}")
    assert '"me"' not in forged.text
    assert unsigned(b"a", signed(b"a", "me")) == "me"
    assert unsigned(b"b", signed(b"a", "me")) is None


def test_a_form_of_another_page_is_refused(base: str) -> None:
    visitor = Visitor(base)
    visitor.get("/")
    assert visitor.post("/", {"said": "mine"}).status == 200
    assert visitor.post("/", {"said": "x", "csrf": ""}).status == 403
    stranger = Visitor(base)
    stranger.get("/")
    assert visitor.post("/", {"said": "x", "csrf": stranger.csrf}).status == 403
    assert visitor.post("/", {"said": "x"}, Origin="http://evil.example").status == 403


def test_the_researchers_pages_want_the_token(base: str) -> None:
    visitor = Visitor(base)
    assert visitor.get("/desk").status == 403
    assert visitor.get("/desk?token=wrong").status == 403
    assert visitor.post("/desk/save", {}).status == 403
    assert visitor.post("/desk/save", {"token": SITE.token}).status == 403
    assert visitor.get("/desk", Cookie=f"{SITE.cookie}-researcher=x").status == 403
    got = visitor.get(f"/desk?token={SITE.token}")
    assert got.status == 200
    assert SITE.token not in got.url
    assert SITE.token not in got.text
    assert visitor.post("/desk/save", {"said": "kept"}).status == 200


@pytest.mark.parametrize(
    "path",
    ["/static/../web.py", "/static/%2e%2e/web.py", "/static/..%2fweb.py", "/static//etc/passwd"],
)
def test_no_path_leads_out_of_the_static_files(base: str, path: str) -> None:
    connection = http.client.HTTPConnection(urlsplit(base).netloc)
    connection.request("GET", path)  # as it is: urllib would tidy it
    answer = connection.getresponse()
    assert answer.status == 404
    assert b"import" not in answer.read()
    connection.close()


def test_too_much_is_refused_with_and_without_a_length(base: str) -> None:
    visitor = Visitor(base)
    visitor.get("/")
    assert visitor.post("/", {"said": "x" * 3000}).status == 413
    connection = http.client.HTTPConnection(urlsplit(base).netloc)
    chunks = (b"x" * 500 for _ in range(10))
    connection.request(
        "POST", "/", chunks, {"Content-Type": "application/x-www-form-urlencoded"},
        encode_chunked=True,
    )  # fmt: skip
    assert connection.getresponse().status == 413
    connection.close()


def test_another_name_for_our_address_is_refused(base: str) -> None:
    assert Visitor(base).get("/", Host="evil.example").status == 421


def test_a_failure_tells_nothing(base: str) -> None:
    got = Visitor(base).get("/broken")
    assert got.status == 500
    assert "secret words" not in got.text
    assert "Zero" not in got.text


def test_who_asks_too_fast_waits(base: str) -> None:
    visitor = Visitor(base)
    statuses = [visitor.get("/who").status for _ in range(200)]
    assert 429 in statuses
    assert Visitor(base).get("/who").status == 200  # others do not


def test_rates_fill_again_and_forget_the_longest_unseen() -> None:
    rates = Rates(rate=1, most=2, burst=2)
    assert [rates.allows("a", 0.0) for _ in range(3)] == [True, True, False]
    assert rates.allows("a", 1.5)
    assert not rates.allows("a", 1.6)
    rates.allows("b", 2.0)
    rates.allows("c", 2.0)
    assert list(rates.buckets) == ["b", "c"]
