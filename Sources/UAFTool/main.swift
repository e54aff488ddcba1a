// Purpose: uafctl, the person's and the administrator's command line: another front end of the conversation protocol.
// Holds no key and opens no state file.
