import Glibc

/// What the programs have in common that the core is or starts: a packet socket at descriptor 3, and a few words where
/// somebody starts them by hand.
public enum SocketProgram {
  /// Where the starting program leaves the socket.
  public static let socket: CInt = 3

  /// Answers a start with arguments, which is one by hand: with the version where that is asked for, else with the usage.
  ///
  /// - Parameters:
  ///   - name: the program's own.
  ///   - usage: ends with a new line.
  /// - Returns: whether the version was asked for; nil for a start without arguments.
  public static func answer(
    _ arguments: [String], name: String, version: String, usage: String
  ) -> Bool? {
    guard arguments.count > 1 else { return nil }
    let asksForVersion = arguments.dropFirst() == ["--version"]
    if asksForVersion { say("\(name) \(version)\n", to: STDOUT_FILENO) } else { say(usage) }
    return asksForVersion
  }

  /// Writes a text.
  ///
  /// One that cannot be written has nowhere else to go.
  public static func say(_ text: String, to descriptor: CInt = STDERR_FILENO) {
    var text = text
    // SAFETY: the bytes are valid for the call.
    text.withUTF8 { _ = unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }
}
