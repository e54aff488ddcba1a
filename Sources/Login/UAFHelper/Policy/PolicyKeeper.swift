import Authenticator
import FidoResults
import Glibc
import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFMessages

/// The policy that the server has signed for this machine: reads the stored policy, and accepts new ones.
///
/// A problem with the policy never prevents a login that root's own configuration allows. There is one exception: if a file
/// cannot be read at the moment, the login fails. A caller may be able to cause that, and must not be able to escape the policy
/// in this way.
struct PolicyKeeper {
  /// Root's own configuration.
  let own: Configuration
  let owner: UInt32
  /// The files by which the server is known, which the rest of the call reads as well.
  let files = TrustFiles()
  /// Makes this machine's ID at the server from the state folder's own random bytes; nil if the machine has no ID.
  let deviceID: ([UInt8]?) -> String?

  /// Whether root's configuration lets the server decide anything.
  ///
  /// If not, no policy is read, requested or stored.
  var isFollowing: Bool { !own.policy.followed.isEmpty && own.server != nil }

  // MARK: The stored policy

  /// The policy that is in force for a call.
  ///
  /// An expired policy stays in force: otherwise, a person could loosen the rules by blocking the connection to the server.
  ///
  /// - Parameter now: called only if there is a policy.
  /// - Throws: ``Ending`` (1007) if a file cannot be read at the moment.
  func standing(at now: () -> BootTime) throws(Ending) -> PolicyStanding {
    let none = PolicyStanding(configuration: own)
    guard isFollowing else { return none }
    let found: (expected: SignedPolicy.Expectation, record: PolicyRecord, isDamaged: Bool)?
    do throws(StateError) { found = try joined() } catch { return try without(error) }
    guard let found else { return PolicyStanding(configuration: own, hasJoined: false) }
    if found.isDamaged {
      return PolicyStanding(configuration: own, note: "the stored policy is not in force: its record is damaged")
    }
    guard !found.record.token.isEmpty else { return none }
    let keys = try keys()
    do throws(SignedPolicy.Fault) {
      let policy = try SignedPolicy.read(found.record.token, for: found.expected, publicKeys: keys)
      return standing(of: policy, at: now().wallSeconds)
    } catch {
      return PolicyStanding(configuration: own, note: "the stored policy is not in force: it \(error.rawValue)")
    }
  }

  private func standing(of policy: WorkstationPolicy, at now: Int64) -> PolicyStanding {
    do throws(ConfigurationError) {
      var standing = PolicyStanding(configuration: try merged(policy), policy: policy)
      if SignedPolicy.hasExpired(policy, now: now) {
        standing.note = "policy \(policy.version) has expired; it stays in force until the server sends another one"
      }
      return standing
    } catch { return PolicyStanding(configuration: own, note: "the stored policy is not in force: \(error)") }
  }

  /// The standing if the policy could not be read: no policy is in force, and a note gives the reason.
  ///
  /// Throws if the file cannot be read at the moment.
  private func without(_ error: StateError) throws(Ending) -> PolicyStanding {
    guard case .cannotOpen(_, let number) = error, number != ENOENT, number != ENOTDIR else {
      return PolicyStanding(configuration: own, note: "the stored policy is not in force: \(error)")
    }
    throw .configuration("the server's policy cannot be read: \(error)", isRoots: false)
  }

  // MARK: A new policy

  /// Checks and stores the policy that the server sent.
  ///
  /// - Parameters:
  ///   - publicKeys: the verdict keys that this machine accepts. They are passed because the sandbox no longer lets root's file
  ///     be read.
  ///   - now: seconds since 1970.
  func take(_ token: [UInt8], publicKeys: [[UInt8]], at now: Int64) -> PolicyIntake {
    guard isFollowing else { return .refused("[policy] follow is empty") }
    do throws(StateError) {
      guard let found = try joined() else { return .refused("this machine has not joined a server") }
      let policy: WorkstationPolicy
      do throws(SignedPolicy.Fault) {
        policy = try SignedPolicy.receive(token, for: found.expected, publicKeys: publicKeys, now: now)
      } catch { return .refused("it \(error.rawValue)") }
      do throws(ConfigurationError) { _ = try merged(policy) } catch { return .refused("\(error)") }
      try PolicyRecord(joinedAt: found.record.joinedAt, version: policy.version, token: token)
        .store(in: own.state.directory, owner: owner)
      return .kept(version: policy.version)
    } catch { return .refused("\(error)") }
  }

  /// The version to report to the server, which sends a policy if its version is different.
  ///
  /// - Returns: 0 if no policy is in force, or half of its validity is over, so that the server signs a new one in time. Nil if
  ///   no policy is requested.
  func toldVersion(_ policy: WorkstationPolicy?, at now: Int64) -> Int64? {
    guard isFollowing else { return nil }
    guard let policy, now < policy.issuedAt + (policy.expiresAt - policy.issuedAt) / 2 else { return 0 }
    return policy.version
  }

  // MARK: Parts

  /// The group that this machine joined, and the latest policy version that it has accepted; nil if it has not joined.
  ///
  /// A damaged record counts as one without a policy, and is replaced with the next policy.
  private func joined() throws(StateError) -> (
    expected: SignedPolicy.Expectation, record: PolicyRecord, isDamaged: Bool
  )? {
    let folder = own.state.directory
    guard let join = try JoinRecord.read(in: folder, owner: owner) else { return nil }
    let (kept, isDamaged) = try kept(in: folder)
    let record = kept ?? PolicyRecord(joinedAt: 0)
    let identifier = try StateDirectory.identifier(in: folder, owner: owner)
    guard let deviceID = deviceID(identifier) else { return nil }
    let expected = SignedPolicy.Expectation(
      deviceID: deviceID, group: join.group, lowestVersion: record.version, joinedAt: record.joinedAt)
    return (expected, record, isDamaged)
  }

  /// The stored record; nil if there is none, or if it is damaged.
  private func kept(in folder: String) throws(StateError) -> (record: PolicyRecord?, isDamaged: Bool) {
    do throws(StateError) { return (try PolicyRecord.read(in: folder, owner: owner), false) } catch {
      if error == .damaged { return (nil, true) }
      throw error
    }
  }

  /// The verdict keys that root has pinned and those that the server has announced; empty if root requires no signature, or if
  /// the file with the keys cannot be used.
  ///
  /// A key that has ended since counts too: the policy was accepted when it arrived, and must not lapse because the server has
  /// changed its key.
  ///
  /// - Throws: ``Ending`` if a file cannot be read at the moment.
  private func keys() throws(Ending) -> [[UInt8]] {
    guard let server = own.server else { return [] }
    do throws(Ending) {
      return try ServerTrust.read(
        of: server, pinnedAuthorities: nil, in: own.state.directory, owner: owner, from: files
      ).earlierKeys
    } catch {
      guard error.circumstance == .rootsFault else { throw error }
      return []
    }
  }

  private func merged(_ policy: WorkstationPolicy) throws(ConfigurationError) -> Configuration {
    let lent = try LentSettingsReader.settings(Array(policy.text.utf8), version: policy.version)
    return try PolicyMerge(own: own, lent: lent).merged()
  }
}

/// What the server's policy means for one call.
struct PolicyStanding {
  /// Root's configuration, with the changes of the policy, if one is in force.
  let configuration: Configuration
  /// The policy that is in force; nil if none is.
  var policy: WorkstationPolicy?
  /// A note for root about the policy: that it has expired, or why the stored one is not in force.
  var note: String?
  /// Whether this machine has joined a server; before that, no policy is requested or accepted.
  var hasJoined = true
}

/// What happened to a policy that the server sent.
enum PolicyIntake: Equatable {
  /// The policy is stored, and applies from the next call on.
  case kept(version: Int64)
  /// The policy is not stored, and the earlier one still applies. The payload is the reason, for the log.
  case refused(String)
}

/// The verdict keys from root's file; one of them must have signed a success of the server.
enum VerdictKeys {
  /// Reads the keys.
  ///
  /// - Returns: 65 bytes `04 | X | Y` each; nil if root requires no signature.
  /// - Throws: ``Ending`` (1001) if the file cannot be used.
  static func read(of server: ServerSettings, owner: UInt32) throws(Ending) -> [[UInt8]]? {
    guard server.requiresSignedVerdict, let path = server.verdictKeyFile else { return nil }
    let pem: [UInt8]
    do throws(ConfigurationFileProblem) {
      pem = try ConfigurationFile.read(path: path, requiredOwner: owner)
    } catch {
      throw .configuration("server.verdict_key: \(path): \(error)", isRoots: error.isRoots)
    }
    do throws(CryptoError) { return try P256.publicKeys(pem: pem) } catch {
      let log =
        "server.verdict_key: \(path): is not a P-256 public key in PEM, or up to \(P256.maximumKeys) such keys"
      throw .configuration(log, isRoots: error == .invalidKey)
    }
  }
}
