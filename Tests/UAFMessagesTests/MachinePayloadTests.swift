import Testing

@testable import UAFMessages

@Suite struct MachinePayloadTests {
  private static let keys = "-----BEGIN PUBLIC KEY-----\nMAA=\n-----END PUBLIC KEY-----\n"

  private static func payload(
    server: String = "https://fido.example:8443", group: MachineGroup = .standard, ca: String? = "A",
    keys: String = keys
  ) -> MachinePayload {
    MachinePayload(
      server: server, code: "ABCD-EFGH", expires: 1_795_000_000, group: group, ca: ca, verdictKeys: keys)
  }

  private func line(_ json: String) -> String { Base64URL.encode(json.utf8) }

  @Test func `a machine payload is read back as it was written`() throws {
    #expect(try MachinePayload(encoded: Self.payload().encoded) == Self.payload())
    #expect(try MachinePayload(encoded: Self.payload(ca: nil).encoded) == Self.payload(ca: nil))
  }

  @Test func `ignores unknown members of a machine payload`() throws {
    let payload = line(
      #"{"v":1,"op":"Join","server":"https://h","code":"c","expires":1,"group":"g","verdictKeys":"k","new":[1]}"#)
    #expect(try MachinePayload(encoded: payload).group.name == "g")
  }

  @Test(arguments: [
    #"{"v":2,"op":"Join","server":"https://h","code":"c","expires":1,"group":"g","verdictKeys":"k"}"#,
    #"{"op":"Join","server":"https://h","code":"c","expires":1,"group":"g","verdictKeys":"k"}"#,
    #"{"v":1,"op":"Reg","server":"https://h","code":"c","expires":1,"group":"g","verdictKeys":"k"}"#,
    #"{"v":1,"op":"Join","server":"http://h","code":"c","expires":1,"group":"g","verdictKeys":"k"}"#,
    #"{"v":1,"op":"Join","server":"https://h\u001b","code":"c","expires":1,"group":"g","verdictKeys":"k"}"#,
    #"{"v":1,"op":"Join","server":"https://h","code":"","expires":1,"group":"g","verdictKeys":"k"}"#,
    #"{"v":1,"op":"Join","server":"https://h","code":"c","expires":-1,"group":"g","verdictKeys":"k"}"#,
    #"{"v":1,"op":"Join","server":"https://h","code":"c","expires":1,"group":"../g","verdictKeys":"k"}"#,
    #"{"v":1,"op":"Join","server":"https://h","code":"c","expires":1,"verdictKeys":"k"}"#,
    #"{"v":1,"op":"Join","server":"https://h","code":"c","expires":1,"group":"g"}"#,
    #"{"v":1,"op":"Join","server":"https://h","code":"c","expires":1,"group":"g","verdictKeys":""}"#,
    #"{"v":1,"op":"Join","server":"https://h","code":"c","expires":1,"group":"g","verdictKeys":"k","ca":""}"#,
  ]) func `refuses a machine payload with a wrong or missing member`(_ json: String) {
    #expect(throws: MessageError.self) { try MachinePayload(encoded: line(json)) }
  }

  @Test func `refuses a machine payload that was cut anywhere`() {
    let line = Self.payload().encoded
    for count in 0..<line.count {
      #expect(throws: MessageError.self) { try MachinePayload(encoded: String(line.prefix(count))) }
    }
  }

  @Test(arguments: ["default", "a", "0", "desk.17_b-c", String(repeating: "g", count: 64)])
  func `accepts a valid name of a machine group`(_ name: String) {
    #expect(MachineGroup(name)?.name == name)
  }

  @Test(arguments: ["", "-a", ".a", "_a", "A", "a b", "a/b", "가", String(repeating: "g", count: 65), "a\n"])
  func `refuses an invalid name of a machine group`(_ name: String) { #expect(MachineGroup(name) == nil) }

  @Test
  func `the fingerprint of a machine payload covers what the machine will trust, but neither the code nor the group`()
    throws
  {
    let group = try #require(MachineGroup("lab"))
    #expect(Self.payload().fingerprinted == Self.payload(group: group).fingerprinted)
    let others = [
      Self.payload(server: "https://fido.example:8444"), Self.payload(ca: "B"), Self.payload(ca: nil),
      Self.payload(keys: Self.keys + "x"),
    ]
    for other in others { #expect(other.fingerprinted != Self.payload().fingerprinted) }
  }

  @Test
  func `two machine payloads with the same text, divided differently into members, have different fingerprints`() {
    let one = Self.payload(server: "https://h", ca: "AB", keys: "C")
    let other = Self.payload(server: "https://h", ca: "A", keys: "BC")
    #expect(one.fingerprinted != other.fingerprinted)
  }
}
