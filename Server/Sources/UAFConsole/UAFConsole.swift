// Purpose: The pages of the console: HTML from what UAFAdministration says, forms, sessions, sign-in.
//
// The only target that may import Mustache and CQREncode. It has no listener, no file and no SQL.
