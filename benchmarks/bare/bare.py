"""Answers a fixed number of bytes with another fixed number, and does nothing else."""

import socket
import sys

port, size, answer_size = map(int, sys.argv[1:4])
sock = socket.create_connection(("127.0.0.1", port))
sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
answer = (answer_size - 4).to_bytes(4, "big") + bytes(answer_size - 4)
while True:
    missing = size
    while missing:
        data = sock.recv(65536)
        if not data:
            sys.exit()
        missing -= len(data)
    sock.sendall(answer)
