// Purpose of this target: words for people. It has the protocol of texts in two languages, the form of a finding, the system's
// errors in words, and the cleaning of text that somebody else wrote. It may import the C library and FidoResults alone, and
// knows neither commands nor files.

import FidoResults

/// What uafctl says, in each language that ``Language`` lists.
///
/// Both languages of a text stand in one file, each as a switch over every case: what one of them lacks does not compile.
package protocol Catalogued<Words> {
  /// A text, or a text and what to do.
  associatedtype Words
  var english: Words { get }
  var korean: Words { get }
}

extension Catalogued {
  /// The words of one language.
  package func text(in language: Language) -> Words {
    switch language {
    case .english: english
    case .korean: korean
    }
  }
}
