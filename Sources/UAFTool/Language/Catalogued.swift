import FidoResults

/// What uafctl says, in each language that ``Language`` lists.
///
/// Both languages of a text stand in one file, each as a switch over every case: what one of them lacks does not compile.
protocol Catalogued<Words> {
  /// A text, or a text and what to do.
  associatedtype Words
  var english: Words { get }
  var korean: Words { get }
}

extension Catalogued {
  /// The words of one language.
  func text(in language: Language) -> Words {
    switch language {
    case .english: english
    case .korean: korean
    }
  }
}
