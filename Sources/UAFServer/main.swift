// Purpose: The FIDO server: issues UAF requests, verifies answers, keeps challenges, credentials and enrolment codes.
// The only target that may import Foundation, GRDB and Hummingbird.
