"""A hub played for tests: the folders of a folder as its models, each asked-for path written down.

As https://huggingface.co/docs/hub/api and huggingface_hub's own calls have it.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from aiohttp import web

from tests.serving import Serving

COMMIT = "a" * 40


class PlayedHub(Serving):
    """Serves ROOT/ORG/NAME as the model ORG/NAME at one commit."""

    def __init__(self, root: Path) -> None:
        super().__init__()
        self._root = root
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _made(self) -> web.BaseRunner:
        app = web.Application()
        app.router.add_get("/api/models/{org}/{name}", self._told)
        app.router.add_get("/api/models/{org}/{name}/revision/{commit}", self._told)
        app.router.add_get("/api/models/{org}/{name}/tree/{commit}", self._listed)
        app.router.add_get("/{org}/{name}/resolve/{commit}/{file:.+}", self._file)
        return web.AppRunner(app)

    def _files(self, request: web.Request) -> dict[str, Path]:
        folder = self._root / request.match_info["org"] / request.match_info["name"]
        found = sorted(path for path in folder.rglob("*") if path.is_file())
        return {path.relative_to(folder).as_posix(): path for path in found}

    async def _told(self, request: web.Request) -> web.Response:
        files = self._files(request)
        siblings = [{"rfilename": name, "size": p.stat().st_size} for name, p in files.items()]
        return web.json_response({"id": "any/name", "sha": COMMIT, "siblings": siblings})

    async def _listed(self, request: web.Request) -> web.Response:
        files = self._files(request)
        return web.json_response([
            {"type": "file", "path": name, "size": path.stat().st_size, "oid": "0"}
            for name, path in files.items()
        ])  # fmt: skip

    async def _file(self, request: web.Request) -> web.Response:
        name = request.match_info["file"]
        part = request.headers.get("Range", "")
        self.asked.append(f"{request.method} {name} {part}".strip())
        path = self._files(request).get(name)
        told = {"X-Repo-Commit": COMMIT}
        if path is None:
            return web.Response(status=404, headers={**told, "X-Error-Code": "EntryNotFound"})
        content = path.read_bytes()
        told["ETag"] = f'"{hashlib.sha256(content).hexdigest()}"'
        if not part:
            return web.Response(body=content, headers=told)
        first, last = (int(one) for one in part.removeprefix("bytes=").split("-"))
        return web.Response(status=206, body=content[first : last + 1], headers=told)
