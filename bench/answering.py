"""A minimal chat server in a process of its own, so that its CPU is not counted as ours."""

from __future__ import annotations

import asyncio
import sys

ANSWER = (
    b'{"object":"chat.completion","model":"x","id":"1","created":1,"choices":[{"index":0,"message":'
    b'{"role":"assistant","content":"There are 7 of them."},"finish_reason":"stop"}],'
    b'"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}'
)
REPLY = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(ANSWER)
) + ANSWER


class Answering(asyncio.Protocol):
    """Reads requests by their Content-Length and sends the same answer to each."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.waiting = 0
        self.head = b""

    def data_received(self, data: bytes) -> None:
        while data:
            if self.waiting:
                taken = min(self.waiting, len(data))
                self.waiting -= taken
                data = data[taken:]
                if not self.waiting:
                    self.transport.write(REPLY)
                continue
            self.head += data
            end = self.head.find(b"\r\n\r\n")
            if end < 0:
                return
            for line in self.head[:end].split(b"\r\n"):
                if line.lower().startswith(b"content-length:"):
                    self.waiting = int(line.split(b":")[1])
            data, self.head = self.head[end + 4 :], b""
            if not self.waiting:
                self.transport.write(REPLY)


async def main() -> None:
    server = await asyncio.get_running_loop().create_server(Answering, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
