/* The golden packets of Tests/Vectors/wire. */
#ifndef PACKETS_H
#define PACKETS_H

#include <stddef.h>
#include <stdint.h>

#define PACKET_ROOM 65536

/* Reads one file into packet and returns its length; ends the test when it is not one packet in hexadecimal. */
size_t packet_read(const char *folder, const char *name, uint8_t packet[PACKET_ROOM]);

/* Calls visit with each name ending in .hex, and returns how many there were. */
unsigned packet_each(const char *folder, void (*visit)(const char *folder, const char *name));

#endif
