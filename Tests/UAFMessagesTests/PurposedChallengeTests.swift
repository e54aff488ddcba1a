import Testing
import UAFMessages

@Suite struct PurposedChallengeTests {
  private let hash = (0..<32).map { UInt8($0) }
  private let unique = (0..<32).map { UInt8(0x80 + $0) }

  @Test(arguments: ChallengePurpose.allCases)
  func `a challenge with a purpose is read back as it was made`(purpose: ChallengePurpose) throws {
    let made = PurposedChallenge(purpose, hash: hash, unique: unique)
    let challenge = try made.challenge
    #expect(challenge.bytes.count == 57)
    #expect(PurposedChallenge.read(challenge) == .marked(made))
    #expect(made.binding == Array(hash.prefix(16)) && made.unique == unique)
  }

  @Test func `a challenge without the purpose tag counts as one of another maker's server`() throws {
    for count in [8, 32, 57, 64] {
      let challenge = try ServerChallenge(bytes: [UInt8](repeating: 7, count: count))
      #expect(PurposedChallenge.read(challenge) == .unmarked)
    }
  }

  @Test
  func `a challenge with the purpose tag but unknown contents is unreadable, and never counts as another maker's`()
    throws
  {
    let bytes = try PurposedChallenge(.login, hash: hash, unique: unique).challenge.bytes
    for count in 8..<bytes.count {
      #expect(PurposedChallenge.read(try ServerChallenge(bytes: Array(bytes.prefix(count)))) == .unreadable)
    }
    #expect(PurposedChallenge.read(try ServerChallenge(bytes: bytes + [0])) == .unreadable)
    var other = bytes
    other[7] = 2
    #expect(PurposedChallenge.read(try ServerChallenge(bytes: other)) == .unreadable)
    for purpose in [0, UInt8(ChallengePurpose.allCases.count + 1), 255] {
      other = bytes
      other[8] = purpose
      #expect(PurposedChallenge.read(try ServerChallenge(bytes: other)) == .unreadable)
    }
  }

  @Test func `any changed bit of a challenge gives a different challenge or an unreadable one`() throws {
    let made = PurposedChallenge(.login, hash: hash, unique: unique)
    let bytes = try made.challenge.bytes
    for bit in 0..<(bytes.count * 8) {
      var changed = bytes
      changed[bit / 8] ^= 0x80 >> UInt8(bit % 8)
      #expect(PurposedChallenge.read(try ServerChallenge(bytes: changed)) != .marked(made))
    }
  }

  @Test func `a challenge cannot be made from a short hash or too few unique bytes`() {
    #expect(throws: MessageError.self) { try PurposedChallenge(.login, hash: [1], unique: unique).challenge }
    #expect(throws: MessageError.self) { try PurposedChallenge(.login, hash: hash, unique: [1]).challenge }
  }

  @Test func `statements with different purposes, contexts or texts never have the same bytes`() {
    let texts = [
      PurposedChallenge.statement(.login, context: "ab"), PurposedChallenge.statement(.text, context: "ab"),
      PurposedChallenge.statement(.login, context: "a"), PurposedChallenge.statement(.login, context: "a", text: "b"),
      PurposedChallenge.statement(.login, context: "", text: "ab"),
    ]
    #expect(Set(texts).count == texts.count)
  }

  @Test func `the statement about new keys contains every part of every key`() throws {
    let challenge = try PurposedChallenge(.registrationByKey, hash: hash, unique: unique).challenge
    let aaid = try AAID("5541#0001")
    let keyID = try KeyID(bytes: [UInt8](repeating: 1, count: 32))
    func statement(
      of username: String = "alice", at appID: String = "https://a", to answered: ServerChallenge? = nil,
      model: AAID? = nil, key: KeyID? = nil, publicKey: [UInt8] = [4, 5]
    ) -> NewKeysStatement {
      NewKeysStatement(
        username: username, appID: appID, challenge: answered ?? challenge,
        keys: [.init(aaid: model ?? aaid, keyID: key ?? keyID, publicKey: publicKey)])
    }
    let other = try PurposedChallenge(.registrationByKey, hash: hash, unique: hash).challenge
    let all: [NewKeysStatement] = [
      statement(), statement(of: "bob"), statement(at: "https://b"), statement(to: other),
      statement(model: try AAID("5541#0002")), statement(key: try KeyID(bytes: [UInt8](repeating: 2, count: 32))),
      statement(publicKey: [4, 6]),
      NewKeysStatement(username: "alice", appID: "https://a", challenge: challenge, keys: []),
    ]
    #expect(Set(all.map(\.bytes)).count == all.count)
    #expect(all[0].machineStatement(deviceID: "a") != all[0].machineStatement(deviceID: "b"))
    #expect(all[0].machineStatement(deviceID: "a") != EnrolmentCode.keysStatement(all[0]))
  }

  @Test func `the challenge that authorises new keys depends on the keys and on the request`() throws {
    let challenge = try PurposedChallenge(.registrationByKey, hash: hash, unique: unique).challenge
    let statement = NewKeysStatement(username: "alice", appID: "https://a", challenge: challenge, keys: [])
    let made = try statement.authorization { bytes in Array((bytes + [UInt8](repeating: 0, count: 32)).prefix(32)) }
    guard case .marked(let marked) = PurposedChallenge.read(made) else {
      Issue.record("not marked")
      return
    }
    #expect(marked.purpose == .newKeys)
    #expect(marked.binding == Array(statement.bytes.prefix(16)) && marked.unique == Array(challenge.bytes.prefix(32)))
  }
}
