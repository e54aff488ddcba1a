import Authenticator
import FidoResults

extension Ending {
  /// What a failure of the state means: a file somebody may have touched is a locked account.
  init(_ error: StateError) {
    if case .serverNameChanged = error {
      // Root's to put right. No isRootsFault: no stack may let those on to the password who are registered here.
      self.init(.invalidParameter, text: .serverNameChanged, log: "\(error)")
      forRoot = "\(error)"
    } else if error.meansLocked {
      self.init(.lockedForGood, text: .lockedForGood, log: "\(error)")
      damage = "\(error)"
      forRoot = damage
    } else {
      self.init(.cannotUse, log: "\(error)")
    }
  }
}
