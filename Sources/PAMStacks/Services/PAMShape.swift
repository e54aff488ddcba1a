/// What part the passcode has beside the password in a stack of `pam.d/`.
package enum PAMShape: String, CaseIterable {
  /// The passcode takes the password's place.
  case instead
  /// The passcode; where no TLS handshake with the server was completed the password as well, and alone where the person
  /// may choose it and does.
  case fallback
  /// The password and then the passcode.
  case secondFactor = "second-factor"
}
