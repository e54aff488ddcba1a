import FidoResults
import SecretMemory

/// How a person types the secret of a type, and what of an entry counts.
public struct TypedEntry: Sendable {
  /// The check that a prompt for it names (PROTOCOL.md, *prompt*); at most 32 bytes of ASCII.
  ///
  /// Front ends choose by it how to ask. A new name needs front ends that know it.
  public let check: String
  /// The lines above the question that explain an entry; none if there is nothing to explain.
  public let legend: [String]
  /// The same in words, for screen readers; nil if there is nothing to explain.
  public let spokenLegend: PromptText?
  /// The one form of an entry that is sealed and compared; nil for an entry that could never have been set.
  public let canonical: @Sendable (borrowing Secret) -> Secret?

  /// The check of a plain line of text, which every front end can ask for.
  ///
  /// It is also used where a prompt must not show the type.
  public static let plainCheck = "passcode"
}
