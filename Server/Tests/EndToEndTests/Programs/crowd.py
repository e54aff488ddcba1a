"""A person who opens many conversations at once: crowd.py SOCKET COUNT PACKET, the packet in hexadecimal.

Connects COUNT times, sends the packet over each connection, and waits for the first packet on each. Prints "asked N, turned
away M", then the packets of those that were turned away in hexadecimal, equal ones once. Keeps the open connections until
standard input ends.
"""

import socket
import sys

path, count, packet = sys.argv[1], int(sys.argv[2]), bytes.fromhex(sys.argv[3])
crowd = []
for _ in range(count):
    front = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    front.settimeout(60)
    front.connect(path)
    front.send(packet)
    crowd.append(front)
asked, away = 0, []
for front in crowd:
    first = front.recv(65537)
    if first[:1] == b"\x81":
        asked += 1
    else:
        away.append(first)
        front.close()
print(f"asked {asked}, turned away {len(away)}")
for kind in sorted(set(away)):
    print(kind.hex())
print("end", flush=True)
sys.stdin.read()
