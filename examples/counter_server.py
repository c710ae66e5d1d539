"""A counter behind HTTP in one file: put your own detector in the place of `find`.

    python examples/counter_server.py --port 8900
    subitize count picture.png --what apples --counter 'http?url=http://127.0.0.1:8900/count'
    subitize run naming --model 'counter/http?url=http://127.0.0.1:8900/count' --per-cell 2

The protocol is told in docs/counters.md. Nothing but the standard library, NumPy and Pillow is
needed, so any environment that runs a detector (CountGD, PseCo, a SAM) can serve it.
"""

from __future__ import annotations

import argparse
import base64
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO

import numpy as np
from PIL import Image

LARGEST = 64 * 1024 * 1024


def find(picture: np.ndarray, thing: str) -> list[list[float]]:
    """Boxes [x0, y0, x1, y1, score] of all `thing` in an RGB array. Put your detector here.

    This one finds columns of pixels that are not white: enough for things side by side.
    """
    dark = (picture < 200).any(axis=2)
    filled = np.concatenate([[False], dark.any(axis=0), [False]]).astype(int)
    starts, ends = np.nonzero(np.diff(filled) == 1)[0], np.nonzero(np.diff(filled) == -1)[0]
    boxes = []
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        rows = np.nonzero(dark[:, start:end].any(axis=1))[0]
        boxes.append([float(start), float(rows[0]), float(end), float(rows[-1] + 1), 0.9])
    return boxes


class CounterHandler(BaseHTTPRequestHandler):
    """POST /count with {"image": base64, "thing": name} → {"boxes": …, "size": …}."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:  # the name that http.server calls
        length = int(self.headers.get("Content-Length") or 0)
        if length > LARGEST:
            self.close_connection = True
            return self._answer(413, {"error": "the request is too large"})
        body = self.rfile.read(length)
        if self.path != "/count":
            return self._answer(404, {"error": f"there is no {self.path}, only /count"})
        try:
            asked = json.loads(body)
            image = Image.open(BytesIO(base64.b64decode(asked["image"]))).convert("RGB")
            thing = str(asked["thing"])
        except (ValueError, KeyError, TypeError, OSError) as problem:
            return self._answer(422, {"error": f"no picture and thing in the request: {problem}"})
        boxes = find(np.asarray(image), thing)
        return self._answer(200, {"boxes": boxes, "size": list(image.size), "threshold": 0.4})

    def _answer(self, status: int, value: object) -> None:
        content = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """One line per request would drown everything else."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve a counter for subitize.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8900, help="0 takes a free one")
    chosen = parser.parse_args()
    with ThreadingHTTPServer((chosen.host, chosen.port), CounterHandler) as server:
        print(f"http://{chosen.host}:{server.server_address[1]}/count", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
