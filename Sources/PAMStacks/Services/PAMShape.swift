/// The role of the passcode beside the password in a stack of `pam.d/`.
package enum PAMShape: String, CaseIterable {
  /// The passcode takes the password's place.
  case instead
  /// The passcode. Without a completed TLS handshake with the server, the password too. Where the person may choose the password
  /// and does, the password alone.
  case fallback
  /// The password and then the passcode.
  case secondFactor = "second-factor"
}
