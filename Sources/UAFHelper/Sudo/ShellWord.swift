/// An argument as a shell would take it, in one form only.
enum ShellWord {
  private static let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-".utf8)
  private static let others = Set("@%+=:,".utf8)

  /// An argument of a command.
  static func plain(_ argument: [UInt8]) -> [UInt8] { word(argument, letters.union(others)) }

  /// An argument among our own words: quoted if it has a character that could end one of them.
  static func strict(_ argument: [UInt8]) -> [UInt8] { word(argument, letters) }

  private static func word(_ argument: [UInt8], _ plain: Set<UInt8>) -> [UInt8] {
    guard argument.isEmpty || !plain.isSuperset(of: argument) else { return argument }
    var text: [UInt8] = []
    var quoted: [UInt8] = []
    func endQuote() {
      if !quoted.isEmpty { text += [quote] + quoted + [quote] }
      quoted = []
    }
    var rest = argument[...]
    while let byte = rest.first {
      let spaces = rest.prefix { $0 == space }.count
      if spaces > 1 {
        // Written as a number: many spaces would push what follows to the next line of a terminal.
        endQuote()
        text += Array("[\(spaces) spaces]".utf8)
        rest = rest.dropFirst(spaces)
        continue
      }
      quoted += byte == quote ? Array(#"'\''"#.utf8) : [byte]
      rest = rest.dropFirst()
    }
    endQuote()
    return text.isEmpty ? [quote, quote] : text
  }

  private static let quote = UInt8(ascii: "'")
  private static let space = UInt8(ascii: " ")
}
