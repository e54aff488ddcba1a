import UAFMessages

/// A key or an authority by which machines know this server.
package enum TrustAnchor: Equatable, Sendable {
  /// The id of a verdict key (`TrustName`).
  case verdictKey(String)
  /// The fingerprint of an authority's certificate.
  case authority(String)

  /// Reads a name by its length; nil for anything that is not a name.
  package init?(_ name: String) {
    if TrustName.isKeyID(name) {
      self = .verdictKey(name)
    } else if TrustName.isFingerprint(name) {
      self = .authority(name)
    } else {
      return nil
    }
  }

  /// Reads a name as people type or paste it: in either case, and with a colon after each byte, as openssl prints it.
  package init?(typed text: String) { self.init(text.replacing(":", with: "").lowercased()) }

  /// The id or fingerprint.
  package var name: String {
    switch self {
    case .verdictKey(let name), .authority(let name): name
    }
  }
}

/// A machine that has joined and does not know a key or an authority, as far as it has reported.
package struct LackingMachine: Equatable, Sendable {
  /// The device ID.
  package let id: String
  package let name: String?

  package init(id: String, name: String?) {
    self.id = id
    self.name = name
  }

  /// Its name for people.
  package var text: String { name ?? id }
}

/// An authority that may issue this server's certificate from some time on, and that machines learn by check-in.
package struct AnnouncedAuthority: Equatable, Sendable {
  /// How many authorities are announced at once at most.
  package static let most = TrustStatement.most

  package let fingerprint: String
  /// DER.
  package let certificate: [UInt8]
  /// In the form of ``AuditActor/text``.
  package let announcedBy: String
  /// In seconds since 1970, like the times below.
  package let announcedAt: Int64
  /// From when on a certificate of this authority is accepted at a reload, whoever lacks the authority.
  package let usedFrom: Int64
  /// When its end was announced; nil while it is trusted.
  package let endedAt: Int64?

  package init(
    fingerprint: String, certificate: [UInt8], announcedBy: String, announcedAt: Int64, usedFrom: Int64,
    endedAt: Int64? = nil
  ) {
    self.fingerprint = fingerprint
    self.certificate = certificate
    self.announcedBy = announcedBy
    self.announcedAt = announcedAt
    self.usedFrom = usedFrom
    self.endedAt = endedAt
  }
}

/// Which keys and authorities of this server the machines know, and the authorities that are announced to them.
package protocol MachineTrusts {
  /// Stores what a machine has reported that it knows, instead of its earlier report.
  ///
  /// - Parameter trust: nil if the machine has reported nothing, as machines of earlier versions.
  func note(_ trust: KnownTrust?, of device: String) throws

  /// What a machine has reported that it knows; nil if nothing.
  func known(by device: String) throws -> KnownTrust?

  /// The joined machines that do not know a key or authority, in the order of their IDs' bytes.
  ///
  /// A machine counts if it has joined or reported, or if somebody has logged in with a key on it, since a time. A machine that
  /// has not reported what it knows lacks everything. A machine that learns no authorities lacks none: see
  /// ``countLearningNone(since:upTo:)``.
  ///
  /// - Parameters:
  ///   - since: seconds since 1970.
  ///   - id: machines after this one; empty for the first page.
  ///   - limit: how many at most.
  func lacking(_ anchor: TrustAnchor, since: Int64, after id: String, limit: Int) throws -> [LackingMachine]

  /// How many machines ``lacking(_:since:after:limit:)`` returns without a limit.
  ///
  /// - Parameter most: counts no further than this.
  func countLacking(_ anchor: TrustAnchor, since: Int64, upTo most: Int) throws -> Int

  /// How many machines have reported that they learn no authorities, because they use those of their system, or more than 64;
  /// they count as in ``lacking(_:since:after:limit:)``.
  ///
  /// - Parameter most: counts no further than this.
  func countLearningNone(since: Int64, upTo most: Int) throws -> Int

  /// Announces an authority; one that is announced already, or was ended, gets the new times.
  func announce(_ authority: AnnouncedAuthority) throws

  /// All authorities that were ever announced, the first announced first.
  func authorities() throws -> [AnnouncedAuthority]

  /// Changes the time from which an authority is used.
  ///
  /// - Returns: false if there is no such authority, or if it has ended.
  func use(_ fingerprint: String, from time: Int64) throws -> Bool

  /// Ends an authority.
  ///
  /// - Returns: false if there is no such authority, or if it has ended before.
  func end(_ fingerprint: String, now: Int64) throws -> Bool
}

/// Which machines count when a rotation asks who lacks something.
package enum TrustReach {
  /// How long ago a machine was seen last, in seconds: 30 days.
  package static let lately: Int64 = 2_592_000

  /// The time since which a machine must have been seen.
  package static func since(_ now: Int64) -> Int64 { now - lately }
}
