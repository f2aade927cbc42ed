"""A snake as a web server of the public Battlesnake API: it goes where most room is."""

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

WAYS = {"up": (0, 1), "down": (0, -1), "right": (1, 0), "left": (-1, 0)}


def move(request: dict[str, Any]) -> str:
    """The direction after which the most fields can be reached; of equals, nearer to food."""
    board, head = request["board"], request["you"]["head"]
    taken = {(part["x"], part["y"]) for snake in board["snakes"] for part in snake["body"][:-1]}
    size = range(board["width"])

    def room(start: tuple[int, int]) -> int:
        found, waiting = set(), [start]
        while waiting and len(found) < 60:
            x, y = waiting.pop()
            if (x, y) not in found | taken and x in size and y in size:
                found.add((x, y))
                waiting += [(x + across, y + up) for across, up in WAYS.values()]
        return len(found)

    def worth(way: str) -> tuple[int, int]:
        x, y = head["x"] + WAYS[way][0], head["y"] + WAYS[way][1]
        food = [abs(field["x"] - x) + abs(field["y"] - y) for field in board["food"]]
        return room((x, y)), -min(food, default=0)

    return max(WAYS, key=worth)


class Snake(BaseHTTPRequestHandler):
    """Answers the four requests of the API."""

    def do_GET(self) -> None:
        """Say the version of the API."""
        self.answer({"apiversion": "1", "author": "polynya"})

    def do_POST(self) -> None:
        """``/start``, ``/move`` and ``/end``."""
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.answer({"move": move(request)} if self.path == "/move" else {})

    def answer(self, document: dict[str, Any]) -> None:
        """Send a document."""
        body = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8000"))), Snake).serve_forever()
