// Purpose: The one table of outcomes: result number, name, text for people in English and Korean, next step, PAM code; and the
// mapping from UAF status codes. Imports the standard library only.
