/// How hard an entry is to guess, as in the FIDO metadata statement.
///
/// The figures are the weakest that the configuration allows. The statement adds the limits of the lock, which all types share.
public enum VerificationAccuracy: Equatable, Sendable {
  /// A text (metadata statement, CodeAccuracyDescriptor).
  ///
  /// - Parameters:
  ///   - base: how many characters there are to choose from.
  ///   - minimumLength: the fewest characters of a secret.
  case code(base: UInt16, minimumLength: UInt16)
  /// A pattern (metadata statement, PatternAccuracyDescriptor).
  ///
  /// - Parameter minimumComplexity: how many patterns there are of the fewest nodes.
  case pattern(minimumComplexity: UInt32)
  /// Nothing that is typed: what is known of a sensor's accuracy, its maker says.
  case unstated
}
