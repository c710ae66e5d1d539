"""Pictures from an OpenAI-compatible server: a real one, in every way it may answer."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest
from aiohttp import web

from subitize.errors import Hopeless, ModelError, Retryable
from subitize.models.base import Item, ModelOptions, Reply
from subitize.models.names import parse_name
from subitize.models.openai import OpenAI
from subitize.models.transport import AiohttpTransport
from tests.image_server import REFUSAL, ImageServer

PROMPT = "An image with 3 apples"


def paint(server: ImageServer, name: str = "openai/x", **given: Any) -> Reply:
    """One picture through the adapter."""
    largest = given.pop("largest", 1 << 20)
    options = ModelOptions(server.url, timeout=60.0, **given)
    model = OpenAI(parse_name(name), options, "secret-key", AiohttpTransport(60.0, largest))

    async def once() -> Reply:
        try:
            (reply,) = await model.paint([Item("t", PROMPT, seed=5)])
        finally:
            await model.close()
        assert isinstance(reply, Reply)
        return reply

    return asyncio.run(once())


def sent(picture: bytes) -> dict[str, Any]:
    return {"data": [{"b64_json": base64.b64encode(picture).decode()}]}


def test_a_picture_in_base64() -> None:
    with ImageServer() as server:
        reply = paint(server)
        assert (reply.kind, reply.stop) == ("picture", "stop")
        assert reply.value.startswith(b"\x89PNG")
        assert server.bodies == [{"model": "x", "prompt": PROMPT, "n": 1}]
        assert server.headers[0]["Authorization"] == "Bearer secret-key"


def test_size_quality_and_further_fields_go_into_the_request() -> None:
    name = "openai/dall-e-3?size=1024x1024&quality=hd&response_format=b64_json&parameters=3.5"
    with ImageServer() as server:
        paint(server, name, temperature=0.5, max_tokens=9, extra_body={"style": "vivid"})
        assert server.bodies == [
            {
                "model": "dall-e-3", "prompt": PROMPT, "n": 1, "size": "1024x1024",
                "quality": "hd", "response_format": "b64_json", "style": "vivid",
            }
        ]  # fmt: skip


def test_a_picture_by_its_address() -> None:
    with ImageServer() as server:
        server.answer = lambda _, picture: {"data": [{"url": server.address_of(picture)}]}
        reply = paint(server)
        assert reply.value in server.files.values()
        assert len(server.fetched) == 1


def test_an_address_relative_to_the_server_and_a_data_address() -> None:
    with ImageServer() as server:

        def relative(_: Any, picture: bytes) -> Any:
            return {"data": [{"url": "/files/" + server.address_of(picture).rsplit("/", 1)[1]}]}

        server.answer = relative
        picture = paint(server).value
        encoded = base64.b64encode(picture).decode()
        server.answer = lambda *_: {"data": [{"url": f"data:image/png;base64,{encoded}"}]}
        assert paint(server).value == picture


@pytest.mark.parametrize(
    "address", ["file:///etc/passwd", "ftp://127.0.0.1/x.png", "javascript:1", "http://[bad"]
)
def test_only_http_addresses_are_fetched(address: str) -> None:
    with (
        ImageServer(lambda *_: {"data": [{"url": address}]}) as server,
        pytest.raises(ModelError, match="none of http or https"),
    ):
        paint(server)


def test_a_lost_picture_is_tried_again_but_not_paid_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("subitize.models.openai_images.DOWNLOAD_WAIT", 0.01)
    with ImageServer() as server:
        lost = f"http://127.0.0.1:{server.port}/files/lost.png?signature=secret"
        server.answer = lambda *_: {"data": [{"url": lost}]}
        with pytest.raises(ModelError, match="could not be fetched") as caught:
            paint(server)
        assert "secret" not in str(caught.value)
        assert not isinstance(caught.value, Retryable)
        assert (len(server.prompts), len(server.fetched)) == (1, 3)


def test_of_a_gigantic_picture_the_beginning_is_kept() -> None:
    """It was made and paid for: to ask again would cost the same and bring as much."""
    with ImageServer() as server:
        for answer in (
            {"data": [{"url": server.address_of(b"\x89PNG" + bytes(999_999))}]},
            sent(bytes(999_999)),
        ):
            server.answer = lambda *_, answer=answer: answer
            reply = paint(server, largest=500_000)
            assert (reply.stop, len(reply.value)) == ("unreadable", 100_000)
            assert "larger than the 500,000 bytes" in reply.facts["unreadable"]


def test_refusals_are_a_reply() -> None:
    with ImageServer(lambda *_: web.json_response(REFUSAL, status=400)) as server:
        reply = paint(server)
    assert (reply.kind, reply.stop) == ("text", "refused")
    assert "safety system" in reply.value


@pytest.mark.parametrize(
    "answer",
    [
        {"data": []},
        {"data": [{}]},
        {"data": [{"b64_json": "no base64!"}]},
        {"data": "x"},
        {"data": [None]},
        {},
    ],
)
def test_an_answer_without_picture_is_worth_another_try(answer: dict[str, Any]) -> None:
    with ImageServer(lambda *_: answer) as server, pytest.raises(Retryable):
        paint(server)


@pytest.mark.parametrize("content", [b"%PDF-1.7 ...", b"<svg/>", b"\x89PNG", b"no picture"])
def test_whatever_was_made_is_a_reply(content: bytes) -> None:
    with ImageServer(lambda *_: sent(content)) as server:
        assert paint(server).value == content
        server.answer = lambda *_: {"data": [{"url": server.address_of(content)}]}
        assert paint(server).value == content


@pytest.mark.parametrize("content", [b"", b"  <!DOCTYPE html><p>Log in", b"<html>Bad gateway"])
def test_a_page_in_place_of_a_picture_is_fetched_again(
    content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("subitize.models.openai_images.DOWNLOAD_WAIT", 0.0)
    with ImageServer() as server:
        address = server.address_of(content)
        server.answer = lambda *_: {"data": [{"url": address}]}
        with pytest.raises(ModelError, match="could not be fetched"):
            paint(server)
        assert (len(server.prompts), len(server.fetched)) == (1, 3)


def test_a_model_that_makes_no_pictures_stops_the_run_with_a_hint() -> None:
    problem = {"error": {"message": "The model x does not exist for images"}}
    with (
        ImageServer(lambda *_: web.json_response(problem, status=404)) as server,
        pytest.raises(Hopeless, match="Check --base-url and the model's name"),
    ):
        paint(server)


def test_a_rewritten_prompt_is_kept() -> None:
    def rewrite(_: Any, picture: bytes) -> Any:
        return {"data": [{**sent(picture)["data"][0], "revised_prompt": "Three apples."}]}

    with ImageServer(rewrite) as server:
        assert paint(server).usage == {"revised_prompt": "Three apples."}


def test_a_seed_differs_by_picture() -> None:
    with ImageServer() as server:
        paint(server, "openai/x?seed=7")
        assert server.bodies[0]["seed"] == 12


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.2:{port}/files/a.png",
        "http://10.255.255.1/a.png",
        "http://[::1]:{port}/files/a.png",
        "http://169.254.169.254/latest/meta-data",
        "http://0.0.0.0:{port}/files/a.png",
        "http://[::ffff:10.0.0.1]/a.png",
        "http://[64:ff9b::10.0.0.1]/a.png",
    ],
)
def test_a_private_address_is_not_fetched(address: str) -> None:
    with ImageServer() as server:
        server.answer = lambda *_: {"data": [{"url": address.format(port=server.port)}]}
        with pytest.raises(ModelError, match="private address") as caught:
            paint(server)
        assert "b64_json" in str(caught.value)
        assert not server.fetched


@pytest.mark.parametrize("host", ["10.255.255.1", "184549121", "0x7f.0.0.2", "[::1]"])
def test_nor_through_a_proxy(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever sends the request would fetch it there: a proxy stands inside, too."""
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with ImageServer() as server:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{server.port}")
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{server.port}")
        server.answer = lambda *_: {"data": [{"url": f"http://{host}/files/a.png"}]}
        with pytest.raises(ModelError, match="private address"):
            paint(server)
        assert not server.fetched
        server.answer = lambda _, picture: {"data": [{"url": server.address_of(picture)}]}
        assert paint(server).kind == "picture"


def test_the_servers_own_address_may_be_private_by_any_name() -> None:
    with ImageServer() as server:

        def named(_: Any, picture: bytes) -> Any:
            return {"data": [{"url": server.address_of(picture).replace("127.0.0.1", "localhost")}]}

        server.answer = named
        assert paint(server).kind == "picture"


def test_a_redirect_to_a_private_address_is_not_followed() -> None:
    with ImageServer() as server:
        server.answer = lambda *_: {"data": [{"url": f"http://127.0.0.1:{server.port}/files/away"}]}
        server.redirects["away"] = f"http://127.0.0.2:{server.port}/files/secret"
        with pytest.raises(ModelError, match="private address"):
            paint(server)
        assert server.fetched == ["away"]
        server.redirects["away"] = "file:///etc/passwd"
        with pytest.raises(ModelError, match="none of http or https"):
            paint(server)


# https://developers.openai.com/api/reference/resources/images/methods/generate: base64 only
GPT_IMAGE = {
    "created": 1713833628,
    "background": "opaque",
    "output_format": "png",
    "quality": "high",
    "size": "1024x1024",
    "usage": {
        "total_tokens": 100,
        "input_tokens": 50,
        "output_tokens": 50,
        "input_tokens_details": {"text_tokens": 10, "image_tokens": 40},
    },
}
# https://github.com/jeffstric/ZJT/issues/480
MODERATED = {
    "error": {
        "message": "Your request was rejected by the safety system. If you believe this is an "
        "error, contact us at Azure support ticket and include the request ID 063f708f. "
        "safety_violations=[violence].",
        "type": "image_generation_user_error",
        "param": "",
        "code": "moderation_blocked",
    }
}


def test_gpt_image_sends_base64_and_much_beside() -> None:
    with ImageServer(lambda _, picture: {**GPT_IMAGE, **sent(picture)}) as server:
        reply = paint(server, "openai/gpt-image-1?quality=high")
    assert reply.value.startswith(b"\x89PNG")
    assert reply.usage["total_tokens"] == 100


def test_moderation_is_a_refusal() -> None:
    with ImageServer(lambda *_: web.json_response(MODERATED, status=400)) as server:
        reply = paint(server, "openai/gpt-image-1")
    assert (reply.kind, reply.stop) == ("text", "refused")
    assert "safety_violations=[violence]" in reply.value


def test_an_edit_is_a_form_with_picture_and_mask() -> None:
    """https://platform.openai.com/docs/api-reference/images/createEdit"""
    with ImageServer() as server:
        options = ModelOptions(server.url, timeout=60.0)
        model = OpenAI(parse_name("openai/gpt-image-1"), options, "", AiohttpTransport(60.0))

        async def once() -> Any:
            try:
                return (await model.paint([Item("t", "Fill it", b"\x89PNG\r\n\x1a\nx")]))[0]
            finally:
                await model.close()

        assert asyncio.run(once()).kind == "picture"
        (form,) = server.forms
    assert form["prompt"] == b"Fill it"
    assert form["image"] == form["mask"] == b"\x89PNG\r\n\x1a\nx"
