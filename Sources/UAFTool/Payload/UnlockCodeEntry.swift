import FidoResults
import SecretMemory
import TerminalPrompts
import UAFMessages

/// The 24 characters of an unlock code, as a person types them: never on the command line.
///
/// They are shown while they are typed: a code works once, for one account on this machine, and nobody types 24 characters
/// without seeing them.
enum UnlockCodeEntry {
  /// Far more than the characters and what people put between them.
  private static let capacity = 128

  /// The code of the entry, without spaces, and without the account that was pasted with it; the core judges the rest.
  ///
  /// - Parameter names: names of the account.
  /// - Throws: ``ToolError``: `payload`, `terminalFailed`, `outOfMemory`.
  static func read(in context: ToolContext, beside names: [String]) throws(ToolError) -> [UInt8] {
    if let terminal = context.terminal {
      let person = TerminalPerson(terminal, in: context)
      let form = EntryForm(display: .shown, capacity: capacity)
      switch try person.ask(PromptText.unlockCode.text(in: context.language), form) {
      case .value(let value): return try checked(value, names)
      case .cancelled: throw .payload(.noUnlockCode)
      }
    }
    let line = try ToolError.atTerminal { () throws(TerminalError) in
      try LineInput(descriptor: context.input).next(capacity: capacity)
    }
    switch consume line {
    case .bytes(let value): return try checked(value, names)
    case .unusable: throw .payload(.noUnlockCode)
    case .end: throw .payload(.noUnlockCode)
    }
  }

  private static func checked(_ value: borrowing Secret, _ names: [String]) throws(ToolError) -> [UInt8] {
    let bytes = value.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    do throws(ToolError) {
      guard let text = String(validating: bytes, as: UTF8.self) else { throw .payload(.unusable) }
      let code = PastedCode.unlock(in: text, beside: names) ?? PastedCode.words(of: text).joined()
      return try PayloadLine.printable(Array(code.utf8))
    } catch {
      throw .payload(.noUnlockCode)
    }
  }
}
