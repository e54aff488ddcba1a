"""A name server of the tests' own: name-server.py ADDRESS NAME, at ADDRESS's port 53.

Resolves NAME to 127.0.0.1, and knows no other name.

Prints "listening" once it listens. Ends with its standard input.
"""

import select
import socket
import sys

address, name = sys.argv[1], sys.argv[2]
question = b"".join(bytes([len(part)]) + part.encode() for part in name.split(".")) + b"\0"
A, ANSWER, NO_SUCH_NAME = b"\0\1", 0x8180, 0x8183

server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind((address, 53))
print("listening", flush=True)
while True:
    readable, _, _ = select.select([server, sys.stdin], [], [])
    if sys.stdin in readable:
        break
    query, client = server.recvfrom(4096)
    end = query.index(b"\0", 12) + 1
    asked, kind = query[12:end], query[end : end + 2]
    answers = b""
    if asked.lower() == question and kind == A:
        # A pointer to the name in the query, type A, class IN, 60 seconds, four bytes of address.
        answers = b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4" + bytes([127, 0, 0, 1])
    flags = ANSWER if asked.lower() == question else NO_SUCH_NAME
    counts = [flags, 1, 1 if answers else 0, 0, 0]
    header = query[:2] + b"".join(number.to_bytes(2, "big") for number in counts)
    server.sendto(header + query[12 : end + 4] + answers, client)
