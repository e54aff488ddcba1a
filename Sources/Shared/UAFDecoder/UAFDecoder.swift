// Purpose: Shows UAF messages to people: every member and every TLV by its name, and what can be verified from the message
// alone. Reads tolerantly what a server refuses, because a message that is refused is the one somebody wants to look at.
// Imports UAFMessages and UAFCrypto only, decides nothing, and is not part of a login.
