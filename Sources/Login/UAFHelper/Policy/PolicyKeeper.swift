import Authenticator
import FidoResults
import Glibc
import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFMessages

/// The policy that the server has signed for this machine: reads the one that is kept, and takes a new one.
///
/// Nothing that it finds makes a login fail that root's own configuration allows, but for a file that the machine cannot read
/// now: a caller who can bring that about must not get rid of the policy by it.
struct PolicyKeeper {
  /// Root's own configuration.
  let own: Configuration
  let owner: UInt32
  /// This machine's id at the server, from the state folder's own random bytes; nil where it has none.
  let deviceID: ([UInt8]?) -> String?

  /// Whether root lends anything to the server; otherwise nothing is read, asked for or kept.
  var isFollowing: Bool { !own.policy.followed.isEmpty && own.server != nil }

  // MARK: The policy that is kept

  /// The policy that is in force, for a call.
  ///
  /// One that has expired is: otherwise whoever keeps the server away would make the rules looser.
  ///
  /// - Parameter now: asked only where there is a policy.
  /// - Throws: ``Ending`` (1007) where a file cannot be read now.
  func standing(at now: () -> BootTime) throws(Ending) -> PolicyStanding {
    let none = PolicyStanding(configuration: own)
    guard isFollowing else { return none }
    let found: (expected: SignedPolicy.Expectation, record: PolicyRecord, isDamaged: Bool)?
    do throws(StateError) { found = try joined() } catch { return try without(error) }
    guard let found else { return PolicyStanding(configuration: own, hasJoined: false) }
    if found.isDamaged {
      return PolicyStanding(configuration: own, note: "the kept policy is not in force: its record is damaged")
    }
    guard !found.record.token.isEmpty else { return none }
    let keys = try keys()
    do throws(SignedPolicy.Fault) {
      let policy = try SignedPolicy.read(found.record.token, for: found.expected, publicKeys: keys)
      return standing(of: policy, at: now().wallSeconds)
    } catch {
      return PolicyStanding(configuration: own, note: "the kept policy is not in force: it \(error.rawValue)")
    }
  }

  private func standing(of policy: WorkstationPolicy, at now: Int64) -> PolicyStanding {
    do throws(ConfigurationError) {
      var standing = PolicyStanding(configuration: try merged(policy), policy: policy)
      if SignedPolicy.hasExpired(policy, now: now) {
        standing.note = "policy \(policy.version) has expired; it holds until the server sends another one"
      }
      return standing
    } catch { return PolicyStanding(configuration: own, note: "the kept policy is not in force: \(error)") }
  }

  /// No policy, because of what was found in its place.
  private func without(_ error: StateError) throws(Ending) -> PolicyStanding {
    guard case .cannotOpen(_, let number) = error, number != ENOENT, number != ENOTDIR else {
      return PolicyStanding(configuration: own, note: "the kept policy is not in force: \(error)")
    }
    throw .configuration("the server's policy cannot be read: \(error)", isRoots: false)
  }

  // MARK: A new one

  /// Takes what the server has sent.
  ///
  /// - Parameters:
  ///   - publicKeys: the keys that root has pinned; his file is out of reach by then.
  ///   - now: seconds since 1970.
  func take(_ token: [UInt8], publicKeys: [[UInt8]], at now: Int64) -> PolicyIntake {
    guard isFollowing else { return .refused("[policy] follow is empty") }
    do throws(StateError) {
      guard let found = try joined() else { return .refused("this machine has joined no server") }
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

  /// The version that the server is told: it sends a policy where this is another one than its own.
  ///
  /// - Returns: 0 where none is in force, and where half of the policy's time is over: so it is signed anew in time. Nil where
  ///   nothing is asked for.
  func toldVersion(_ policy: WorkstationPolicy?, at now: Int64) -> Int64? {
    guard isFollowing else { return nil }
    guard let policy, now < policy.issuedAt + (policy.expiresAt - policy.issuedAt) / 2 else { return 0 }
    return policy.version
  }

  // MARK: Parts

  /// What this machine has joined, and what it had last; nil if it has joined nothing.
  ///
  /// In the place of a damaged record, into which the next policy is put, it is one that had nothing.
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

  /// The record; nil for none, and for one that is damaged.
  private func kept(in folder: String) throws(StateError) -> (record: PolicyRecord?, isDamaged: Bool) {
    do throws(StateError) { return (try PolicyRecord.read(in: folder, owner: owner), false) } catch {
      if error == .damaged { return (nil, true) }
      throw error
    }
  }

  /// The keys that root has pinned; none where he demands no signature, or where the file is not as it must be.
  ///
  /// - Throws: ``Ending`` where the file cannot be read now.
  private func keys() throws(Ending) -> [[UInt8]] {
    guard let server = own.server else { return [] }
    do throws(Ending) { return try VerdictKeys.read(of: server, owner: owner) ?? [] } catch {
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
  /// Root's configuration, with the policy where one is in force.
  let configuration: Configuration
  /// The policy that is in force; nil for none.
  var policy: WorkstationPolicy?
  /// What there is to say of it to root: that it has expired, or why the kept one is not in force.
  var note: String?
  /// Whether this machine has joined a server; nothing is asked for, or taken, before it has.
  var hasJoined = true
}

/// What became of a policy that the server has sent.
enum PolicyIntake: Equatable {
  /// It is kept, and counts from the next call on.
  case kept(version: Int64)
  /// It is not kept, and what counted before counts on; why, for the log.
  case refused(String)
}

/// The keys of which one must have signed a success of the server, from root's file.
enum VerdictKeys {
  /// Reads them.
  ///
  /// - Returns: 65 bytes `04 | X | Y` each; nil where root demands no signature.
  /// - Throws: ``Ending`` (1001) where the file cannot be used.
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
        "server.verdict_key: \(path): is not the public key of a P-256 key pair, PEM, or up to \(P256.maximumKeys) of them"
      throw .configuration(log, isRoots: error == .invalidKey)
    }
  }
}
