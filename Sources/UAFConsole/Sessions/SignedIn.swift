import UAFAdministration
import UAFService

/// Somebody who has signed in, as a request finds them.
struct SignedIn: Sendable {
  let session: ConsoleSession
  let caller: Caller
  let csrf: String
}
