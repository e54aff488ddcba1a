// Purpose: Shows UAF messages to people: every member and every TLV by its name, and what can be verified from the message
// alone. It accepts messages that a server refuses, because a refused message is the one that people want to examine.
// Imports UAFMessages and UAFCrypto only, decides nothing, and is not part of a login.
