import Authenticator
import FidoResults

extension Ending {
  /// The ending for a failure of the state.
  ///
  /// A file that somebody may have changed is a locked account.
  init(_ error: StateError) {
    if case .serverNameChanged = error {
      // Root has to correct it. It is no `rootsFault`, because no stack may let a registered person go on to the password.
      self.init(.invalidParameter, text: .serverNameChanged, log: "\(error)", .serverNameChanged("\(error)"))
    } else if error == .identityMismatch {
      // No unlock helps. It is no `rootsFault` either, for the same reason.
      self.init(.invalidParameter, text: .cause(.accountRenamed), log: "\(error)", .renamed("\(error)"))
    } else if error.meansLocked {
      self.init(.lockedForGood, text: .lockedForGood, log: "\(error)", .damage("\(error)"))
    } else {
      self.init(.cannotUse, log: "\(error)")
    }
  }
}
