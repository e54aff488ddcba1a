// Purpose: The FIDO server without HTTP, SQL and files: issues UAF requests, verifies answers, and says what has to be kept.
//
//   Service/       a request or an answer from its text to its outcome; signatures are verified outside any transaction
//   Verification/  the rules for answers, and the models of authenticators; pure: it decides by what was issued and stored
//   Passkeys/      the ceremonies of WebAuthn, with challenges, policy and decoys of their own
//   Policies/      the models and keys in the request for a name, with the decoys of names without keys
//   Tokens/        codes and signatures with the server's own keys
//   Refusals/      the reasons of refusals, the limit of wrong answers, and the count of refusals without a row
//   Store/         what the service needs from a store
//   Audit/         checks, signs, shortens and delivers the audit
//   Moving/        the rows that are moved from one store to another
//
// Of AuthenticatorTypes only names, accuracies and limits are used, to describe this project's own authenticators. Time,
// randomness, the store and the server's identity come from ServiceEnvironment.
