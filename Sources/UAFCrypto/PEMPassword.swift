/// OpenSSL's question for the password of an encrypted PEM text.
enum PEMPassword {
  @unsafe typealias Callback =
    @convention(c) (UnsafeMutablePointer<CChar>?, CInt, CInt, UnsafeMutableRawPointer?) -> CInt

  /// Refuses: without a callback OpenSSL asks at the terminal of the process, and waits.
  ///
  /// It touches none of the pointers that it is given.
  @unsafe static var refuse: Callback { { _, _, _, _ in -1 } }
}
