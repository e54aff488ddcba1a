// Purpose: The console: sign-in, sessions, forms, and HTML pages that show the results of UAFAdministration; and the page on
// which a person registers a passkey.
//
// It is the only target that may import Mustache and CQREncode. It uses no listener, no files and no SQL.
