// Purpose: What administrators do: accounts, authenticators, machines, codes, approvals, policies, tokens, the audit.
//
// One layer for three faces: the JSON API, the console and the command line. Each operation checks the caller's permission, and
// stores its row of the audit in the same transaction as its change.
//
// Imports the service and its messages, never HTTP, SQL, HTML, files or the clock: those come in as parameters.
