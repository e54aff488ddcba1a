import FidoResults
import Wording

// What a command says, in the caller's language.

extension ToolContext {
  /// Writes a result.
  func result(_ text: some Catalogued<String>) { output.result(text.text(in: language)) }

  /// Writes a line that is not a result.
  func note(_ text: some Catalogued<String>) { output.note(text.text(in: language)) }

  /// Writes what failed and what to do about it.
  func failure(_ text: some Catalogued<FindingText>) {
    let words = text.text(in: language)
    failure(words.what, hint: words.remedy)
  }

  /// The same, where several errors share the text about what to do.
  func failure(_ text: some Catalogued<String>, hint: some Catalogued<String>) {
    failure(text.text(in: language), hint: hint.text(in: language))
  }

  /// Writes what failed and, on a line of its own, what to do about it; both in the caller's language already.
  func failure(_ text: String, hint: String?) {
    output.note(text)
    if let hint { output.question(ToolText.hint(hint).text(in: language)) }
  }
}
