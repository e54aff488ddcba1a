// Purpose: The FIDO server without HTTP, SQL and files: issues UAF requests, verifies answers, and says what has to be kept.
//
// Data walks this list from bottom to top: Records/ and Errors/ are values; Models/ says what a model of authenticator must hold
// to; Tokens/ seals and signs with the server's keys; Verification/ is pure: it is given what was issued and what is stored, and
// decides; Policies/ says who uses which models; Store/ is what the service asks of a store; Decoys/ makes up keys for names that have
// none; Service/ puts these together, one transaction of the store for each message. Of Authenticator only the compiled-in
// limits are used, for our own models. Time, randomness, the store and the server's identity come in through ServiceEnvironment.
