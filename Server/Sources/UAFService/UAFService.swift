// Purpose: The FIDO server without HTTP, SQL and files: issues UAF requests, verifies answers, and says what has to be kept.
//
//   Service/       a request or an answer from its text to its outcome; signatures are verified outside any transaction
//   Verification/  the rules for answers, and what they need of a model of authenticator; pure: it gets what was issued and what
//                  is stored, and decides
//   Policies/      which models and which keys a name is asked for, with the decoys of names without keys
//   Tokens/        codes and signatures with the server's own keys
//   Refusals/      why something is refused, how often answers may be wrong, and the count of refusals without a row
//   Store/         what the service asks of a store
//   Audit/         checks, signs, shortens and delivers the audit
//   Moving/        what is moved from one store to another
//
// Of AuthenticatorTypes only names, accuracies and limits are used, for this project's own models. Time, randomness, the store and
// the server's identity come in through ServiceEnvironment.
