import Glibc

/// The keys that edit, as the terminal has them set, and as keyboards send them anyway.
struct EditingKeys: Equatable {
  /// Takes the last character away.
  var erase: Set<UInt8> = [0x08, 0x7F]
  /// Takes everything away.
  var kill: Set<UInt8> = [0x15]
  /// Gives up: Ctrl-C, Ctrl-D, Ctrl-\.
  var cancel: Set<UInt8> = [0x03, 0x04, 0x1C]
  /// Stops the program for now: Ctrl-Z.
  var suspend: UInt8 = 0x1A

  /// The usual keys.
  init() {}

  /// The usual keys and those of `settings`; a key that is switched off there (0) stays off.
  init(_ settings: termios) {
    var settings = settings
    // SAFETY: c_cc is an array of NCCS bytes.
    let keys = unsafe withUnsafeBytes(of: &settings.c_cc) { unsafe Array($0) }
    func key(_ index: CInt) -> UInt8? { keys[Int(index)] == 0 ? nil : keys[Int(index)] }
    erase.formUnion([VERASE].compactMap(key))
    kill.formUnion([VKILL].compactMap(key))
    cancel.formUnion([VINTR, VEOF, VQUIT].compactMap(key))
    suspend = key(VSUSP) ?? suspend
  }
}
