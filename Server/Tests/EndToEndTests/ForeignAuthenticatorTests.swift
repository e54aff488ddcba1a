import Foundation
import Testing

extension EndToEnd {
  /// uaf-server with a client and authenticator in a different language, written only from the specification's text.
  @Suite struct ForeignAuthenticatorTests {
    /// The statuses of a scenario of interop/authenticator.py, the registration's status first.
    private func statuses(_ scenario: String) throws -> [Int] {
      let user = "lena\(UUID().uuidString.prefix(8).lowercased())"
      let output = try Command.run(
        [
          "/usr/bin/python3", "-B", "-W", "ignore", Programs.own("interop/authenticator.py"),
          Server.shared().enrol(user), scenario,
        ], logged: false)
      guard output.status == 0, let line = output.lines.last else { throw Failure("\(scenario): \(output.text)") }
      return line.split(separator: " ").compactMap { Int($0) }
    }

    @Test(arguments: ["honest", "conformance"])
    func `a client written only from the specification registers and logs in at uaf-server`(_ scenario: String) throws {
      #expect(try statuses(scenario) == [1200, 1200, 1200])
    }

    @Test func `a client written only from the specification confirms the transaction that uaf-server sent`() throws {
      #expect(try statuses("transaction") == [1200, 1200])
    }

    @Test(arguments: ["transaction-unconfirmed", "transaction-other"])
    func `the server refuses a client that did not confirm the transaction`(_ scenario: String) throws {
      let statuses = try statuses(scenario)
      #expect(statuses.count == 2 && statuses[0] == 1200 && statuses[1] != 1200)
    }

    @Test
    func `the server accepts how a client says the person was verified, even unasked, in either form of the extension`()
      throws
    {
      #expect(try statuses("verified") == [1200, 1200, 1200])
    }

    @Test func `the server refuses a verification method that the authenticator's model does not have`() throws {
      #expect(try statuses("wrong-verified") == [1200, 1498, 1498, 1498, 1498, 1200])
    }

    @Test func `the server refuses a client's response that was used before`() throws {
      #expect(try statuses("replay") == [1200, 1200, 1491, 1200])
    }

    @Test func `if a client sends one response fifty times at the same time, the server accepts it once`() throws {
      #expect(try statuses("replay-at-once") == [1200, 1, 49, 1200])
    }

    @Test func `the server refuses an equal or a lower counter, and accepts the next higher one`() throws {
      #expect(try statuses("equal-counter") == [1200, 1200, 1491, 1200])
      #expect(try statuses("lower-counter") == [1200, 1200, 1491, 1491, 1200])
    }

    @Test(arguments: [("wrong-challenge", 1491), ("wrong-certificate", 1490), ("wrong-end-point", 1490)])
    func `the server refuses a login with a wrong challenge, certificate or end point`(
      _ scenario: String, _ status: Int
    )
      throws
    {
      #expect(try statuses(scenario) == [1200, status, 1200])
    }

    @Test(arguments: ["app", "facet", "key", "key-id", "mode", "signature"])
    func `the server refuses a login with any one wrong part, and then accepts a right one`(_ part: String) throws {
      let statuses = try statuses("wrong-\(part)")
      #expect(statuses.count == 3 && statuses[0] == 1200 && (1400...1499).contains(statuses[1]) && statuses[2] == 1200)
    }

    @Test(arguments: ["challenge", "facet", "mode", "key"])
    func `the server refuses a registration with any one wrong part, and then accepts the right one`(_ part: String)
      throws
    {
      let statuses = try statuses("bad-registration-\(part)")
      #expect(statuses.count == 3 && (1400...1499).contains(statuses[0]) && statuses[1...] == [1200, 1200])
    }

    @Test func `a client written only from the specification deregisters with a fresh proof, once`() throws {
      #expect(try statuses("deregister") == [1200, 1200, 1401])
    }

    @Test func `the server deregisters nothing without a proof, with a login's token or with a used code`() throws {
      #expect(try statuses("unproven") == [1200, 1401, 1401, 1401, 1401, 1401, 1200])
    }

    @Test func `an enrolment code that has registered a key begins no second registration`() throws {
      #expect(try statuses("register-again") == [1200, 1401, 1200])
    }
  }
}
