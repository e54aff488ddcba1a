// Purpose: The operations of administrators on accounts, authenticators, machines, codes, approvals, policies, tokens and the
// audit.
//
// The JSON API, the console and the command line all use this layer. Each operation checks the caller's permission, and stores
// its row of the audit in the same transaction as its change.
//
// It imports the service and its messages, but not HTTP, SQL, HTML, files or the clock: what it needs of these is passed in as
// parameters.
