"""A matcher behind HTTP in one file: put your own model in the place of `match`.

    python examples/matcher_server.py --port 8901
    subitize run probe --model 'matcher/http?url=http://127.0.0.1:8901/match'

The protocol is told in docs/probe.md. ViLBERT and ViLBERT 12-in-1, which transformers can't load,
are served so from their authors' own environment.
"""

from __future__ import annotations

import argparse
import base64
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def match(picture: bytes, sentence: str) -> float:
    """How likely the sentence fits the picture, 0..1. Put your model here.

    This one knows nothing: short sentences fit a little better than long ones.
    """
    return 1 / (1 + len(sentence) / 50)


class MatcherHandler(BaseHTTPRequestHandler):
    """POST /match with {"image": base64, "sentences": [...]} → {"scores": …, "calibrated": …}."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:  # the name that http.server calls
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            asked = json.loads(body)
            picture = base64.b64decode(asked["image"])
            scores = [match(picture, str(sentence)) for sentence in asked["sentences"]]
        except (ValueError, KeyError, TypeError) as problem:
            return self._answer(422, {"error": f"no picture and sentences: {problem}"})
        return self._answer(200, {"scores": scores, "calibrated": True})

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
    parser = argparse.ArgumentParser(description="Serve a matcher for subitize.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8901, help="0 takes a free one")
    chosen = parser.parse_args()
    with ThreadingHTTPServer((chosen.host, chosen.port), MatcherHandler) as server:
        print(f"http://{chosen.host}:{server.server_address[1]}/match", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
