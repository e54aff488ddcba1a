import UAFWire

/// Why the chip did not do what was asked.
struct ChipFailure: Error, Equatable {
  /// What it means.
  let outcome: ChipOutcome
  /// The chip's or the system's number.
  let number: UInt32
  /// What failed, in a word for the log.
  let step: String

  /// A failure that our own program found.
  init(_ outcome: ChipOutcome, _ step: String, number: UInt32 = 0) {
    self.outcome = outcome
    self.number = number
    self.step = step
  }

  /// A response code (TSS 2.0 Overview, "Response codes"; TPM 2.0 Part 2, 6.6).
  ///
  /// The upper half names the layer. Codes of the transport are ours: the chip went away.
  init(code: UInt32, _ step: String) {
    self.init(Self.meaning(of: code), step, number: code)
  }

  /// What a response code means for a sealed key.
  static func meaning(of code: UInt32) -> ChipOutcome {
    switch (code >> 16 & 0xff, code & 0xffff) {
    case (10, _): .lost
    case (_, 0x921): .lockedOut
    // TPM_RC_NV_SPACE.
    case (_, 0x14b): .full
    // TPM_RC_RETRY, NV_RATE, YIELDED, TESTING, and no memory for objects or sessions.
    case (_, 0x922), (_, 0x920), (_, 0x908), (_, 0x90a), (_, 0x902...0x905): .busy
    case (_, let low) where isAbout(low, 0x8e, 0xa2): .owned
    case (_, let low) where isAbout(low, 0x9f): .damaged
    default: .failed
    }
  }

  /// What a response code means for a new index.
  ///
  /// Chips of the library specification before 1.38 know no PIN FAIL: TPM_RC_ATTRIBUTES (0x82) or RESERVED_BITS (0xa1), about
  /// the public area. They have no room for such an index.
  static func meaning(ofDefining code: UInt32) -> ChipOutcome {
    isAbout(code & 0xffff, 0x82, 0xa1) ? .full : meaning(of: code)
  }

  /// Whether a code of format one is one of `errors`, whichever handle, session or parameter it names.
  ///
  /// TPM_RC_AUTH_FAIL is 0x8e, BAD_AUTH 0xa2, POLICY_FAIL 0x9d, INTEGRITY 0x9f, HANDLE 0x8b.
  static func isAbout(_ code: UInt32, _ errors: UInt32...) -> Bool { code & 0x80 != 0 && errors.contains(code & 0xbf) }
}
