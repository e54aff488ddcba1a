/// How a request to the chip ended (*chip answer*, field 1).
public enum ChipOutcome: UInt8, CaseIterable, Sendable {
  /// It was done.
  case done = 0
  /// There is no chip at that place.
  case absent = 1
  /// The place may not be opened.
  case forbidden = 2
  /// Another program holds the chip, or its memory is full.
  case busy = 3
  /// The chip is locked against guessing (TPM_RC_LOCKOUT, 0x921), which another program caused.
  case lockedOut = 4
  /// Another chip has sealed the key: another machine, or another mainboard.
  case otherChip = 5
  /// This chip has sealed the key, and was cleared since then, or its storage key was replaced.
  case cleared = 6
  /// The chip's storage key, or its owner, has a value that is not ours.
  case owned = 7
  /// The sealed key is damaged.
  case damaged = 8
  /// The chip went away while it was at work.
  case lost = 9
  /// Anything else that the chip refused.
  case failed = 10
  /// The values are wrong; the index has counted them.
  case wrong = 11
  /// The index has counted as many wrong values in a row as it allows.
  case exhausted = 12
  /// The index is not there: it was removed.
  case indexMissing = 13
  /// Another index is in its place, or its share does not take the values: it was made anew.
  case indexReplaced = 14
  /// The chip has no room for another index, or has no indices that count.
  case full = 15
}
