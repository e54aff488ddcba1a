"""A front end of the tests' own: peer.py SOCKET PACKET [PACKET ...], packets in hexadecimal.

Sends the first packet, and one more for each prompt and each "ready" that it receives. Prints each packet that it receives in
hexadecimal on its own line; the last line is "end" if the core closed the socket.
"""

import socket
import sys

packets = [bytes.fromhex(text) for text in sys.argv[2:]]
front = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
front.settimeout(20)
front.connect(sys.argv[1])
front.send(packets.pop(0))
try:
    while packet := front.recv(65537):
        print(packet.hex(), flush=True)
        if packet[0] in (0x81, 0x84) and packets:
            front.send(packets.pop(0))
except ConnectionError:
    pass
print("end")
