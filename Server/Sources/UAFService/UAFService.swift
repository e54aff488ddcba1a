// Purpose: The FIDO server without HTTP, SQL and files: issues UAF requests, verifies answers, and says what has to be kept.
//
// Each folder uses only folders that stand before it here:
//   Records/, Errors/  values
//   Models/            what the server knows of a model of authenticator
//   Tokens/            codes and signatures with the server's own keys
//   Verification/      the rules for answers; pure: it gets what was issued and what is stored, and decides
//   Policies/          which account uses which models
//   Store/             what the service asks of a store
//   Audit/             checks, signs and shortens the audit; counts the refusals without a row
//   Limits/            how often answers may be wrong
//   Decoys/            decoys for names without keys
//   Service/           a request or an answer from its text to its outcome; signatures are verified outside any transaction
//
// Of Authenticator only the compiled-in limits are used, for this project's own models. Time, randomness, the store and the
// server's identity come in through ServiceEnvironment.
