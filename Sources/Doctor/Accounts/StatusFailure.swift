import Wording

/// Why the core could not be asked for an account's state, in the words of the program that asked.
package struct StatusFailure: Error, FindingCatalogue, Equatable {
  package let english: FindingText
  package let korean: FindingText
  /// Whether there is no core that this caller could ask; the check of the socket reports that already.
  package let isAbsence: Bool

  package init(_ text: some Catalogued<FindingText>, isAbsence: Bool = false) {
    english = text.english
    korean = text.korean
    self.isAbsence = isAbsence
  }
}
