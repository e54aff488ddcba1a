import Testing

@testable import UAFMessages

@Suite struct PolicyTests {
  private let appID = "https://a.example/facets"
  private let key = [UInt8](repeating: 1, count: 32)

  private func authenticator(
    _ aaid: String, verification: UInt32 = UserVerification.passcode, keys: [UInt8] = []
  ) throws -> AuthenticatorDescription {
    let keyIDs = try keys.map { try KeyID(bytes: [UInt8](repeating: $0, count: 32)) }
    return AuthenticatorDescription(
      aaid: try AAID(aaid), authenticatorVersion: 2, userVerification: verification,
      registrations: [.init(appID: appID, keyIDs: keyIDs)])
  }

  private func criteria(_ change: (inout MatchCriteria) -> Void) -> MatchCriteria {
    var criteria = MatchCriteria()
    change(&criteria)
    return criteria
  }

  private func keyID(_ byte: UInt8) throws -> KeyID { try KeyID(bytes: [UInt8](repeating: byte, count: 32)) }

  @Test func `empty match criteria accept every authenticator`() throws {
    #expect(try MatchCriteria().matches(authenticator("EBA0#0001"), appID: appID))
  }

  @Test func `each member of match criteria alone can accept or refuse an authenticator`() throws {
    let one = try authenticator("eba0#0001", keys: [1])
    let matching: [MatchCriteria] = try [
      MatchCriteria(aaid: AAID("EBA0#0001")), criteria { $0.vendorID = ["0000", "EBA0"] },
      criteria { [keyID = try keyID(1)] in $0.keyIDs = [keyID] }, criteria { $0.userVerification = 5 },
      criteria { $0.keyProtection = 3 }, criteria { $0.matcherProtection = 1 }, criteria { $0.attachmentHint = 1 },
      criteria { $0.tcDisplay = 1 }, criteria { $0.authenticationAlgorithms = [2, 1] },
      criteria { $0.assertionSchemes = ["UAFV1TLV"] }, criteria { $0.attestationTypes = [15879, 15880] },
      criteria { $0.authenticatorVersion = 2 },
    ]
    let refusing: [MatchCriteria] = try [
      MatchCriteria(aaid: AAID("EBA0#0002")), criteria { $0.vendorID = ["EBA1"] },
      criteria { [keyID = try keyID(2)] in $0.keyIDs = [keyID] }, criteria { $0.userVerification = 0x80 },
      criteria { $0.keyProtection = 2 }, criteria { $0.matcherProtection = 2 }, criteria { $0.attachmentHint = 2 },
      criteria { $0.tcDisplay = 4 }, criteria { $0.authenticationAlgorithms = [2] },
      criteria { $0.assertionSchemes = ["uafv1tlv"] }, criteria { $0.attestationTypes = [15879] },
      criteria { $0.authenticatorVersion = 3 },
    ]
    for criteria in matching { #expect(criteria.matches(one, appID: appID), "\(criteria.json.text)") }
    for criteria in refusing { #expect(!criteria.matches(one, appID: appID), "\(criteria.json.text)") }
  }

  @Test func `match criteria accept an authenticator only if all their members accept it`() throws {
    let criteria = criteria { criteria in
      criteria.userVerification = UserVerification.passcode
      criteria.keyProtection = 2
    }
    #expect(try !criteria.matches(authenticator("EBA0#0001"), appID: appID))
  }

  @Test(
    arguments: [
      (0x84, 0x04, true), (0x04, 0x84, true), (0x484, 0x04, false), (0x484, 0x484, true), (0x84, 0x484, false),
      (1023, 0x04, true), (0x80, 0x04, false), (0, 0, true), (0, 4, false),
    ] as [(UInt32, UInt32, Bool)])
  func `USER_VERIFY_ALL accepts an authenticator only if it has exactly the listed methods`(
    _ wanted: UInt32, _ offered: UInt32, _ matches: Bool
  )
    throws
  {
    let criteria = criteria { $0.userVerification = wanted }
    #expect(try criteria.matches(authenticator("EBA0#0001", verification: offered), appID: appID) == matches)
  }

  @Test func `a policy does not count keys of a different AppID`() throws {
    let one = try authenticator("EBA0#0001", keys: [1])
    let criteria = MatchCriteria(aaid: one.aaid, keyIDs: [try keyID(1)])
    #expect(!criteria.matches(one, appID: appID + "/"))
    #expect(Policy(accepted: []).acceptableSets(among: [one], appID: "https://a.example/Facets").isEmpty)
  }

  @Test func `the choices of a policy come in the server's order`() throws {
    let passcode = try authenticator("EBA0#0001", keys: [1])
    let pattern = try authenticator("EBA0#0002", verification: UserVerification.pattern, keys: [2])
    let policy = Policy(accepted: [[MatchCriteria(aaid: pattern.aaid)], [MatchCriteria(aaid: passcode.aaid)]])
    let sets = policy.acceptableSets(among: [passcode, pattern], appID: appID)
    #expect(sets.map { $0.map(\.aaid) } == [[pattern.aaid], [passcode.aaid]])
    #expect(sets.first?.first?.keyIDs == [try keyID(2)])
  }

  @Test func `each criterion of a set needs an authenticator of its own`() throws {
    let passcode = try authenticator("EBA0#0001", keys: [1])
    let pattern = try authenticator("EBA0#0002", verification: UserVerification.pattern, keys: [2])
    let any = criteria { $0.userVerification = 1023 }
    let onlyPasscode = criteria { $0.userVerification = UserVerification.passcode }
    let policy = Policy(accepted: [[any, onlyPasscode]])
    #expect(policy.acceptableSets(among: [passcode], appID: appID).isEmpty)
    let sets = policy.acceptableSets(among: [passcode, pattern], appID: appID)
    #expect(sets.map { $0.map(\.aaid) } == [[pattern.aaid, passcode.aaid]])
  }

  @Test func `disallowed criteria of a policy override accepted ones`() throws {
    let one = try authenticator("EBA0#0001", keys: [1])
    let any = [[MatchCriteria()]]
    let disallowed = MatchCriteria(aaid: one.aaid, keyIDs: [try keyID(1)])
    #expect(Policy(accepted: any, disallowed: [disallowed]).acceptableSets(among: [one], appID: appID).isEmpty)
    #expect(Policy(accepted: [], disallowed: [disallowed]).acceptableSets(among: [one], appID: appID).isEmpty)
    let other = MatchCriteria(aaid: one.aaid, keyIDs: [try keyID(9)])
    #expect(Policy(accepted: any, disallowed: [other]).acceptableSets(among: [one], appID: appID).count == 1)
  }

  @Test func `a policy with an empty list accepts any authenticator that has a key`() throws {
    let registered = try authenticator("EBA0#0001", keys: [1])
    let fresh = try authenticator("EBA0#0002")
    let sets = Policy(accepted: []).acceptableSets(among: [fresh, registered], appID: appID)
    #expect(sets.map { $0.map(\.aaid) } == [[registered.aaid]])
  }

  @Test func `of the attestation types in a policy, chooses the first one that the client knows`() throws {
    let criteria = criteria { $0.attestationTypes = [15879, 15880] }
    let sets = Policy(accepted: [[criteria]]).acceptableSets(among: [try authenticator("EBA0#0001")], appID: appID)
    #expect(sets.first?.first?.attestationType == 15880)
  }

  @Test func `even a huge policy gives a limited number of choices`() throws {
    let authenticators = try (0..<8).map { try authenticator("EBA0#000\($0)", keys: [$0 + 1]) }
    let set = [MatchCriteria](repeating: MatchCriteria(), count: 8)
    let policy = Policy(accepted: [[MatchCriteria]](repeating: set, count: 50))
    #expect(policy.acceptableSets(among: authenticators, appID: appID).count == 64)
  }

  @Test func `match criteria are read back as they were written`() throws {
    let all = try MatchCriteria(
      parsing: """
        {"aaid":["EBA0#0001"],"vendorID":["EBA0"],"keyIDs":["\(Base64URL.encode(key))"],"userVerification":132,\
        "keyProtection":1,"matcherProtection":1,"attachmentHint":1,"tcDisplay":3,"authenticationAlgorithms":[1],\
        "assertionSchemes":["UAFV1TLV"],"attestationTypes":[15880],"authenticatorVersion":1}
        """)
    #expect(try MatchCriteria(parsing: all.jsonText) == all)
    #expect(all.userVerification == 132 && all.attestationTypes == [15880])
  }
}
