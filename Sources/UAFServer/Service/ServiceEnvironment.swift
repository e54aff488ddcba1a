import GRDB
import UAFMessages

/// What the service is given: its store, its secrets, and the world outside as parameters.
struct ServiceEnvironment: Sendable {
  let database: any DatabaseWriter
  let keys: ServerKeys
  let models: AuthenticatorModels
  /// Which of the models who may and must use.
  let policies: AccountPolicies
  /// Whether clients are asked how they verified the person.
  var verificationMethods = VerificationMethodPolicy.off
  /// What made-up keys look like.
  var shapes = KeyShapeKeeper()
  /// Who the server is; throws while that is not known yet.
  let identity: @Sendable () throws -> ServerIdentity
  /// Seconds since 1970.
  let now: @Sendable () -> Int64
  /// Random bytes for challenges and token numbers.
  let random: @Sendable (Int) throws -> [UInt8]
}
