import Testing

@testable import UAFMessages

/// The signed unlock and the unlock code that a helpdesk gives to a person whom a machine has locked.
@Suite struct UnlockMessageTests {
  private let id = Array(UInt8(0)...15)

  private func statement(
    _ target: UnlockStatement.Target = .device("d-1"), lifetime: Int64 = 3600
  ) -> UnlockStatement {
    UnlockStatement(
      account: "mina", target: target, id: id, issuedAt: 1_800_000_000, expiresAt: 1_800_000_000 + lifetime)
  }

  private static func object(_ json: JSONValue) -> JSONObject? {
    if case .object(let object) = json { object } else { nil }
  }

  // MARK: The payload

  @Test func `the claims of a signed unlock have fixed names and order`() throws {
    let text = #"{"sub":"mina","device":"d-1","jti":"AAECAwQFBgcICQoLDA0ODw","iat":1800000000,"exp":1800003600}"#
    #expect(statement().json.text == text)
    let key = try KeyID(bytes: [UInt8](repeating: 9, count: 32))
    for target in [UnlockStatement.Target.device("d-1"), .key(key)] {
      let json = try #require(Self.object(statement(target).json))
      #expect(UnlockStatement(claims: json) == statement(target))
    }
  }

  @Test func `refuses a signed unlock with one claim missing or in a wrong format`() throws {
    let json = try #require(Self.object(statement().json))
    for name in ["sub", "device", "jti", "iat", "exp"] {
      var less = JSONObject()
      for member in json.members where member.name != name { less.set(member.name, member.value) }
      #expect(UnlockStatement(claims: less) == nil, "\(name)")
      for wrong in [JSONValue.bool(true), .array([]), .object([:])] {
        var claims = json
        claims.set(name, wrong)
        #expect(UnlockStatement(claims: claims) == nil, "\(name)")
      }
    }
    for jti in ["", "AAECAwQFBgcICQoLDA0OD", "AAECAwQFBgcICQoLDA0ODxA", "AAECAwQFBgcICQoLDA0OD/"] {
      var claims = json
      claims.set("jti", .string(jti))
      #expect(UnlockStatement(claims: claims) == nil, "\(jti)")
    }
  }

  @Test func `refuses a signed unlock that names a machine twice, or an invalid key`() throws {
    var claims = try #require(Self.object(statement().json))
    claims.set("key", .string(Base64URL.encode([UInt8](repeating: 9, count: 32))))
    #expect(UnlockStatement(claims: claims) == nil)
    let short = try #require(Self.object(statement(.key(KeyID(bytes: [UInt8](repeating: 9, count: 32)))).json))
    claims = short
    claims.set("key", .string("AAAA"))
    #expect(UnlockStatement(claims: claims) == nil)
  }

  @Test(arguments: [Int64(-1), 0, 299, 604_801, .max])
  func `refuses a signed unlock whose lifetime is outside the limits`(seconds: Int64)
    throws
  {
    var claims = try #require(Self.object(statement().json))
    claims.set("exp", .integer(1_800_000_000 &+ seconds))
    #expect(UnlockStatement(claims: claims) == nil)
  }

  @Test(arguments: [(Int64.min, Int64.max), (-300, 300), (.min, 0)])
  func `refuses a signed unlock with impossible start and end times`(
    issued: Int64, expires: Int64
  ) throws {
    var claims = try #require(Self.object(statement().json))
    claims.set("iat", .integer(issued))
    claims.set("exp", .integer(expires))
    #expect(UnlockStatement(claims: claims) == nil)
  }

  // MARK: The code

  private static let now: Int64 = 1_800_000_000
  private static let text = "S71R-00C3-000G-40R4-0M30-E209"

  private func code() throws -> UnlockCode {
    try #require(UnlockCode(minute: Self.now / 60, lifetimeUnits: 12, salt: 3, mac: Array(UInt8(0)...9)))
  }

  @Test func `an unlock code with given contents has fixed characters`() throws {
    #expect(try code().text == Self.text)
    #expect(try code().issuedAt == Self.now && code().expiresAt == Self.now + 3600)
    #expect(UnlockCode(typed: Self.text, near: Self.now) == (try code()))
    let authenticated = try code().authenticated(account: "mina", machineID: id)
    #expect(
      authenticated == Array("pam-uaf unlock code".utf8) + [0, 0, 0, 0, 0, 1, 0xC9, 0xC3, 0x80, 0, 12, 3] + id
        + Array("mina".utf8))
  }

  @Test(arguments: [
    "s71r 00c3 000g 40r4 0m30 e209", "S71R00C3000G40R40M30E209", "s7lr-ooc3-oooG-4oR4-oM3o-E2o9",
    " S71R-00C3-000G-40R4-0M30-E209-",
  ]) func `reads an unlock code as people type it`(typed: String) throws {
    #expect(UnlockCode(typed: typed, near: Self.now) == (try code()))
  }

  @Test func `reads I and L in an unlock code as 1`() throws {
    let one = try #require(UnlockCode(minute: 0, lifetimeUnits: 1, salt: 1, mac: [UInt8](repeating: 0x08, count: 10)))
    #expect(one.text.contains("1"))
    for look in ["I", "l", "L", "i"] {
      #expect(UnlockCode(typed: one.text.replacing("1", with: look), near: 0) == one)
    }
  }

  @Test func `refuses an unlock code that was cut or extended, or has characters that no code has`() {
    let characters = Array(Self.text)
    for count in 0..<characters.count {
      #expect(UnlockCode(typed: String(characters.prefix(count)), near: Self.now) == nil)
    }
    for wrong in ["U", "!", "\u{0}", "é", "０", "=", "\n", "/"] {
      #expect(UnlockCode(typed: Self.text + wrong, near: Self.now) == nil)
      #expect(UnlockCode(typed: wrong + Self.text.dropFirst(), near: Self.now) == nil)
    }
    #expect(UnlockCode(typed: Self.text + "0", near: Self.now) == nil)
    #expect(UnlockCode(typed: "", near: Self.now) == nil)
  }

  @Test func `changing any character of an unlock code gives a different code or none`() throws {
    let characters = Array(Self.text)
    for index in characters.indices where characters[index] != "-" {
      for other in "0123456789ABCDEFGHJKMNPQRSTVWXYZ" where other != characters[index] {
        var changed = characters
        changed[index] = other
        #expect(UnlockCode(typed: String(changed), near: Self.now) != (try code()))
      }
    }
  }

  @Test func `the minute in an unlock code is read as the nearest one with the same bits, in any year`() throws {
    let period = Int64(1 << 24)
    for minute in [0, 1, period - 1, period, period + 1, 2 * period - 1, 30_000_000, 60_000_000] {
      let code = try #require(UnlockCode(minute: minute, lifetimeUnits: 2016, salt: 31, mac: Array(UInt8(1)...10)))
      for shift in [-10_000, 0, 10_000] where minute + Int64(shift) >= 0 {
        #expect(UnlockCode(typed: code.text, near: (minute + Int64(shift)) * 60) == code, "\(minute) \(shift)")
      }
    }
    _ = UnlockCode(typed: Self.text, near: .max)
    _ = UnlockCode(typed: Self.text, near: .min)
  }

  @Test func `refuses to make an unlock code with an invalid lifetime, salt or MAC length`() {
    for units in [Int.min, 0, 2017, .max] { #expect(UnlockCode(minute: 0, lifetimeUnits: units, salt: 0) == nil) }
    #expect(UnlockCode(minute: -1, lifetimeUnits: 1, salt: 0) == nil)
    #expect(UnlockCode(minute: 0, lifetimeUnits: 1, salt: 32) == nil)
    for count in [1, 9, 11] {
      #expect(UnlockCode(minute: 0, lifetimeUnits: 1, salt: 0, mac: [UInt8](repeating: 0, count: count)) == nil)
    }
  }

  @Test func `the short label of a machine is four characters made from its id`() {
    #expect(UnlockCode.label(ofMachine: [0xFF, 0xC0, 0x00] + id) == "ZZ00")
  }
}
