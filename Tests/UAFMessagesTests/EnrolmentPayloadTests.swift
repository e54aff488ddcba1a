import Testing

@testable import UAFMessages

@Suite struct EnrolmentPayloadTests {
  private let payload = EnrolmentPayload(
    op: .registration, server: "https://fido.example:8443", username: "alice", authCode: "ABCD-EFGH",
    expires: 1_795_000_000, ca: "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n")

  private func line(_ json: String) -> String { Base64URL.encode(json.utf8) }

  @Test func `an enrolment payload is read back as it was written`() throws {
    #expect(try EnrolmentPayload(encoded: payload.encoded) == payload)
    let bare = EnrolmentPayload(op: .authentication, server: "https://h", username: "u", authCode: "c", expires: 0)
    #expect(try EnrolmentPayload(encoded: bare.encoded) == bare)
  }

  @Test(arguments: [
    #"{"v":2,"op":"Reg","server":"https://h","username":"u","authCode":"c","expires":1}"#,
    #"{"v":2,"op":"Reg","server":"https://h","username":"u","authCode":"00000-00000-00000-00001","expires":1}"#,
    #"{"v":2,"op":"Auth","server":"https://h","username":"u","authCode":"00000-00000-00000-00000","expires":1}"#,
    #"{"v":3,"op":"Reg","server":"https://h","username":"u","authCode":"00000-00000-00000-00000","expires":1}"#,
    #"{"op":"Reg","server":"https://h","username":"u","authCode":"c","expires":1}"#,
    #"{"v":1,"op":"Root","server":"https://h","username":"u","authCode":"c","expires":1}"#,
    #"{"v":1,"op":"Reg","server":"http://127.0.0.1.example","username":"u","authCode":"c","expires":1}"#,
    #"{"v":1,"op":"Reg","server":"http://h","username":"u","authCode":"c","expires":1}"#,
    #"{"v":1,"op":"Reg","server":"https://h\u001b[2J","username":"u","authCode":"c","expires":1}"#,
    #"{"v":1,"op":"Reg","server":"https://h","username":"","authCode":"c","expires":1}"#,
    #"{"v":1,"op":"Reg","server":"https://h","username":"u","expires":1}"#,
    #"{"v":1,"op":"Reg","server":"https://h","username":"u","authCode":"c","expires":-1}"#,
    #"{"v":1,"op":"Reg","server":"https://h","username":"u","authCode":"c","expires":"soon"}"#,
    #"{"v":1,"op":"Reg","server":"https://h","username":"u","authCode":"c","expires":1,"ca":""}"#,
    #"{"v":1,"op":"Reg","server":"https://h","username":"u","authCode":"c","expires":1}}"#,
    #"{"v":2,"op":"Reg","server":"https://h","username":"u","authCode":"B9D5-MPJT-B9D5-MPJR","expires":1}"#,
  ]) func `refuses an enrolment payload with a wrong or missing member`(_ json: String) {
    #expect(throws: MessageError.self) { try EnrolmentPayload(encoded: line(json)) }
  }

  @Test func `refuses an enrolment payload that was cut, padded or wrapped, or has more than 32 KiB`() {
    #expect(throws: MessageError.self) { try EnrolmentPayload(encoded: String(payload.encoded.dropLast())) }
    #expect(throws: MessageError.self) { try EnrolmentPayload(encoded: payload.encoded + "=") }
    #expect(throws: MessageError.self) { try EnrolmentPayload(encoded: payload.encoded + "\n") }
    #expect(throws: MessageError.self) { try EnrolmentPayload(encoded: "") }
    #expect(throws: MessageError.notBase64URL("code", .tooLong)) {
      try EnrolmentPayload(encoded: String(repeating: "A", count: 44_000))
    }
  }

  @Test func `the code in a payload of our server stays on the machine, and that of another server is sent`()
    throws
  {
    let code = try #require(EnrolmentCode(random: [UInt8](repeating: 7, count: 10)))
    let own = EnrolmentPayload(code: code, server: "https://h", username: "u", expires: 1)
    let read = try EnrolmentPayload(encoded: own.encoded)
    #expect(read == own && read.code == code && read.authCode == code.text && read.op == .registration)
    let plain = EnrolmentPayload(op: .registration, server: "https://h", username: "u", authCode: code.text, expires: 1)
    #expect(try EnrolmentPayload(encoded: plain.encoded).code == nil)
  }

  @Test func `an enrolment payload with a code of 20 characters is still read`() throws {
    let members = #""v":2,"op":"Reg","server":"https://h","username":"u","expires":1"#
    let read = try EnrolmentPayload(encoded: line(#"{\#(members),"authCode":"B9D5M-PJTB9-D5MPJ-TBH2P"}"#))
    #expect(read.code == EnrolmentCode(typed: "B9D5MPJTB9D5MPJTBH2P") && read.code?.isStretched == false)
  }

  @Test func `no bit flipped in an enrolment payload makes a different code, and each part of a payload is refused`()
    throws
  {
    let code = try #require(EnrolmentCode(random: [UInt8](repeating: 7, count: 10)))
    let own = EnrolmentPayload(code: code, server: "https://h", username: "u", expires: 1)
    for index in 0..<own.encoded.utf8.count {
      #expect(throws: MessageError.self) { try EnrolmentPayload(encoded: String(own.encoded.prefix(index))) }
      for bit in 0..<8 {
        var bytes = Array(own.encoded.utf8)
        bytes[index] ^= 1 << UInt8(bit)
        guard let read = try? EnrolmentPayload(encoded: String(decoding: bytes, as: UTF8.self)) else { continue }
        #expect(read.code == code || read.code == nil && read.authCode == code.text, "\(index)")
      }
    }
  }
}
