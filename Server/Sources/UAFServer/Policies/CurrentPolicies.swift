import Logging
import ServiceLifecycle
import Synchronization
import UAFAdministration
import UAFMessages
import UAFService

/// The policies in force: those of a policy file, or else those that were saved last in the store.
///
/// If this server cannot use the policy that was saved last, it does not fall back to an older one: it refuses every request.
final class CurrentPolicies: Sendable {
  private struct State {
    /// The number of the saved policy; 0 for none.
    var number: Int64 = 0
    var policies: Result<AccountPolicies, PolicyProblem>
  }

  private let models: AuthenticatorModels
  private let file: AccountPolicies?
  private let state: Mutex<State>

  /// Starts with the policies of a file.
  ///
  /// Without a file, each model is accepted by itself until a policy is saved.
  init(_ file: AccountPolicies?, models: AuthenticatorModels) {
    self.file = file
    self.models = models
    state = Mutex(State(policies: .success(file ?? AccountPolicies(everybody: AcceptedSets(each: models)))))
  }

  /// Whether the policies come from a file, so that saved ones have no effect.
  var areOfFile: Bool { file != nil }

  /// The number of the saved policy in force; 0 for none.
  var number: Int64 { state.withLock { $0.number } }

  /// - Throws: ``PolicyProblem`` if this server cannot use the saved policy.
  @Sendable func value() throws -> AccountPolicies { try state.withLock { try $0.policies.get() } }

  /// Replaces the policy in force with a saved policy.
  ///
  /// - Throws: ``PolicyProblem`` if this server cannot use it; no policy is in force then.
  func replace(by version: PolicyVersion) throws(PolicyProblem) {
    let found: Result<AccountPolicies, PolicyProblem>
    do {
      found = .success(try PolicyParser(models: models).policies(Array(version.text.utf8)))
    } catch { found = .failure(error) }
    state.withLock { $0 = State(number: version.number, policies: found) }
    _ = try found.get()
  }
}

/// Watches the store for newly saved policies, also those of other servers and of the command line.
///
/// It checks once a second, so that no login has to. A policy is in force at all servers two seconds after it was saved.
struct PolicyFollower: Service {
  let store: any ServerStore
  let policies: CurrentPolicies
  let logger: Logger

  /// Loads the saved policy before the server listens, and closes the codes that the policy no longer allows.
  ///
  /// - Throws: ``ServerError/unusablePolicy(number:reason:)``, `StoreFailure`.
  func prepare() async throws {
    let source = policies.areOfFile ? "yes" : "no"
    let known = try await store.read { try $0.settings.value(of: .policyFile) }
    if known != source { try await store.write { try $0.settings.set(.policyFile, to: source) } }
    if !policies.areOfFile, let version = try await newer() {
      do throws(PolicyProblem) {
        try policies.replace(by: version)
      } catch { throw ServerError.unusablePolicy(number: version.number, reason: error.reason) }
    }
    try await PrivilegedStart.closeLesserCodes(
      in: store, by: try policies.value(), host: ServerEvents.host, now: { Terminal.now })
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        if !self.policies.areOfFile { await self.look() }
        try? await Task.sleep(for: .seconds(1))
      }
    }
  }

  /// Checks once.
  ///
  /// Failures of the store are ignored: while it is down, nothing is issued or accepted anyway.
  func look() async {
    guard let version = try? await newer() else { return }
    do throws(PolicyProblem) {
      try policies.replace(by: version)
      logger.notice("policy", metadata: ["number": "\(version.number)"])
    } catch {
      logger.critical("policy-unusable", metadata: ["number": "\(version.number)", "reason": "\(error.reason)"])
    }
  }

  /// The policy that was saved last, if it is not the one in force; otherwise nil.
  private func newer() async throws -> PolicyVersion? {
    try await store.read { [number = policies.number] records in
      let last = try records.policyVersions.lastNumber()
      return last == number ? nil : try records.policyVersions.version(last)
    }
  }
}

/// A file of policies, in the format of ``PolicyParser``.
struct PolicyFile {
  let path: String

  /// The text of the file.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  func bytes() throws(ServerError) -> [UInt8] {
    guard let bytes = try StateFile.read(path: path, isSecret: false, maximumLength: JSONLimits().maximumBytes) else {
      throw .unusableFile(path: path, reason: "there is no such file")
    }
    return bytes
  }

  /// Reads the file.
  ///
  /// - Parameter models: the models that the server knows.
  /// - Throws: ``ServerError/unusableFile(path:reason:)``, which names the wrong member.
  func policies(_ models: AuthenticatorModels) throws(ServerError) -> AccountPolicies {
    let bytes = try bytes()
    do {
      return try PolicyParser(models: models).policies(bytes)
    } catch { throw .unusableFile(path: path, reason: error.reason) }
  }
}
