import Logging
import ServiceLifecycle
import Synchronization
import UAFAdministration
import UAFDecoder
import UAFMessages
import UAFService

/// The policies in force: those of a policy file, or else those that were saved last in the store, with the members of groups of
/// people that are mapped to their groups.
///
/// If this server cannot use the policy that was saved last, it does not fall back to an older one: it refuses every request. It
/// does the same if a mapping names a group that the policy does not have.
final class CurrentPolicies: Sendable {
  private struct State {
    /// The number of the saved policy; 0 for none.
    var number: Int64 = 0
    /// Without mapped members.
    var policies: Result<AccountPolicies, PolicyProblem>
    var members = MappedMembers()
    /// With the mapped members.
    var whole: Result<AccountPolicies, PolicyProblem>

    init(_ policies: AccountPolicies) {
      self.policies = .success(policies)
      whole = self.policies
    }

    mutating func map() {
      whole = policies.flatMap { [members] policies in
        Result { () throws(UnknownPolicyGroup) in try policies.mapping(members.names) }.mapError {
          PolicyProblem(
            reason: "groups of people are mapped to its group \(ShownValue.quoted($0.name)), which it does not have",
            korean: "사용자 그룹이 이 정책에 없는 그룹에 연결되어 있습니다: \(ShownValue.quoted($0.name))")
        }
      }
    }
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
    state = Mutex(State(file ?? AccountPolicies(everybody: AcceptedSets(each: models))))
  }

  /// Whether the policies come from a file, so that saved ones have no effect.
  var areOfFile: Bool { file != nil }

  /// The number of the saved policy in force; 0 for none.
  var number: Int64 { state.withLock { $0.number } }

  /// Which state of the mappings is in force (``GroupMappings/changeNumber()``).
  var mappingNumber: Int64? { state.withLock { $0.members.number } }

  /// - Throws: ``PolicyProblem`` if this server cannot use the saved policy with the mappings.
  @Sendable func value() throws -> AccountPolicies { try state.withLock { try $0.whole.get() } }

  /// Replaces the policy in force with a saved policy.
  ///
  /// - Parameter members: replaces the members of mapped groups too; nil to keep those that are in force.
  /// - Throws: ``PolicyProblem`` if this server cannot use it; no policy is in force then.
  func replace(by version: PolicyVersion, with members: MappedMembers? = nil) throws(PolicyProblem) {
    let found: Result<AccountPolicies, PolicyProblem>
    do {
      found = .success(try PolicyParser(models: models).policies(Array(version.text.utf8)))
    } catch { found = .failure(error) }
    try change { state in
      (state.number, state.policies) = (version.number, found)
      if let members { state.members = members }
    }
  }

  /// Replaces the members of mapped groups.
  ///
  /// - Throws: ``PolicyProblem`` if the policy in force lacks a group that a mapping names; no policy is in force then.
  func replace(by members: MappedMembers) throws(PolicyProblem) { try change { $0.members = members } }

  private func change(_ body: (inout State) -> Void) throws(PolicyProblem) {
    let whole = state.withLock { state in
      body(&state)
      state.map()
      return state.whole
    }
    _ = try whole.get()
  }
}

/// The members of mapped groups of people at one time.
struct MappedMembers: Equatable, Sendable {
  /// As ``GroupMappings/changeNumber()`` returns it; nil before they are read.
  var number: Int64?
  /// By the name of the group of the policy.
  var names: [String: Set<String>] = [:]
}

/// Watches the store for newly saved policies, mappings, and members of mapped groups, also those of other servers and of the
/// command line.
///
/// It checks once a second, so that no login has to. A policy is in force at all servers two seconds after it was saved. After a
/// change, all members of mapped groups are read: 100,000 take about a tenth of a second.
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
    let newer = try await newer()
    do throws(PolicyProblem) { try use(newer) } catch {
      throw ServerError.unusablePolicy(number: newer.version?.number ?? 0, reason: error.reason)
    }
    try await PrivilegedStart.closeLesserCodes(
      in: store, by: try policies.value(), host: ServerEvents.host, now: { Terminal.now })
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        await self.look()
        try? await Task.sleep(for: .seconds(1))
      }
    }
  }

  /// Checks once.
  ///
  /// Failures of the store are ignored: while it is down, nothing is issued or accepted anyway.
  func look() async {
    guard let newer = try? await newer(), newer.version != nil || newer.members != nil else { return }
    do throws(PolicyProblem) {
      try use(newer)
      if let version = newer.version { logger.notice("policy", metadata: ["number": "\(version.number)"]) }
    } catch {
      logger.critical("policy-unusable", metadata: ["number": "\(policies.number)", "reason": "\(error.reason)"])
    }
  }

  /// What is not in force yet; both parts are of the same state of the store.
  private typealias Newer = (version: PolicyVersion?, members: MappedMembers?)

  private func use(_ newer: Newer) throws(PolicyProblem) {
    switch (newer.version, newer.members) {
    case (let version?, let members?):
      // A policy and its mappings belong together: with only one of them, a mapping may name a group that is not there.
      try policies.replace(by: version, with: members)
    case (let version?, nil): try policies.replace(by: version)
    case (nil, let members?): try policies.replace(by: members)
    case (nil, nil): break
    }
  }

  /// The policy that was saved last and the members of mapped groups, each if it is not in force.
  private func newer() async throws -> Newer {
    let (number, change) = (policies.areOfFile ? nil : policies.number, policies.mappingNumber)
    return try await store.read { records in
      var newer: Newer = (nil, nil)
      let last = try records.policyVersions.lastNumber()
      if let number, last != number { newer.version = try records.policyVersions.version(last) }
      let mapped = try records.groupMappings.changeNumber()
      if mapped != change {
        newer.members = MappedMembers(number: mapped, names: try records.groupMappings.policyMembers(among: nil))
      }
      return newer
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
