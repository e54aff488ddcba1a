import FidoResults
import SecretMemory
import TerminalPrompts

/// The 24 characters of an unlock code, as a person types them: never on the command line.
///
/// They are shown while they are typed: a code works once, for one account on this machine, and nobody types 24 characters
/// without seeing them.
enum UnlockCodeEntry {
  /// Far more than the characters and what people put between them.
  private static let capacity = 128

  /// The entry without spaces, of which the core judges the rest.
  ///
  /// - Throws: ``ToolError``: `payload`, `terminalFailed`, `outOfMemory`.
  static func read(in context: ToolContext) throws(ToolError) -> [UInt8] {
    if let terminal = context.terminal {
      let person = TerminalPerson(terminal, in: context)
      let form = EntryForm(display: .shown, capacity: capacity)
      switch try person.ask(PromptText.unlockCode.text(in: context.language), form) {
      case .value(let value): return try checked(value)
      case .cancelled: throw .payload(.noUnlockCode)
      }
    }
    let line = try ToolError.atTerminal { () throws(TerminalError) in
      try LineInput(descriptor: context.input).next(capacity: capacity)
    }
    switch consume line {
    case .bytes(let value): return try checked(value)
    case .unusable: throw .payload(.noUnlockCode)
    case .end: throw .payload(.noUnlockCode)
    }
  }

  private static func checked(_ value: borrowing Secret) throws(ToolError) -> [UInt8] {
    let bytes = value.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    do throws(ToolError) { return try PayloadLine.checked(bytes.filter { $0 != 0x20 }) } catch {
      throw .payload(.noUnlockCode)
    }
  }
}
