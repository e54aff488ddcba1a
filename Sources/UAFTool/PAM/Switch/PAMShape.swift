import ArgumentParser

/// What part the passcode has beside the password in a stack of `pam.d/`.
enum PAMShape: String, CaseIterable, ExpressibleByArgument {
  /// The passcode takes the password's place.
  case instead
  /// The passcode first; the password where no TLS handshake with the server was completed, or where the person chose it.
  case fallback
  /// The password and then the passcode.
  case secondFactor = "second-factor"
}
