import Testing
import UAFMessages
import UAFWire

@testable import UAFTool

@Suite struct OutOfBandCodeTests {
  private static func code(_ operation: UAFOperation) -> GivenCode {
    let server = "https://fido.example.com"
    return GivenCode(
      bytes: Array(
        EnrolmentPayload(op: operation, server: server, username: "alice", authCode: "c0de", expires: 1).encoded.utf8))
  }

  @Test(arguments: [(UAFOperation.registration, UAFWire.Operation.register), (.authentication, .authenticate)])
  func `oob asks the core for the operation that the payload names`(operation: UAFOperation, asked: UAFWire.Operation)
    throws
  {
    let code = Self.code(operation)
    let request = try OutOfBandCode(code).request(for: "bob", denies: false)
    #expect(request.operation == asked && request.user == "bob" && request.code == code.bytes && !request.denies)
  }

  @Test func `oob refuses a line that is not a code, and a payload for a deregistration`() {
    #expect(throws: ToolError.payload(.notUnderstood(.operation("Dereg")))) {
      try OutOfBandCode(Self.code(.deregistration))
    }
    #expect(throws: ToolError.self) { try OutOfBandCode(GivenCode(bytes: Array("x".utf8))) }
  }

  @Test func `oob can deny an approval, but not a registration`() throws {
    #expect(try OutOfBandCode(Self.code(.authentication)).request(for: nil, denies: true).denies)
    #expect(throws: ToolError.payload(.notUnderstood(.registrationDenied))) {
      try OutOfBandCode(Self.code(.registration)).request(for: nil, denies: true)
    }
  }
}
