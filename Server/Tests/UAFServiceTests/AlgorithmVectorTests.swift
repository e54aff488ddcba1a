import Testing
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// Complete messages for each algorithm and key encoding, made by independent software (Tests/Vectors/algorithms).
struct AlgorithmVectorTests {
  @Test func `the vectors have a registration and an authentication for each of the sixteen pairs`() {
    #expect(Vector.algorithms.count == 32)
  }

  @Test(arguments: Vector.algorithms) func `accepts a good message`(vector: Vector) throws {
    #expect(try vector.server.refusal(vector.response) == nil)
  }

  @Test(arguments: Vector.algorithms) func `refuses the assertion if a bit is changed or bytes are missing`(
    vector: Vector
  ) throws {
    let (server, response, assertion) = try (vector.server, vector.response, vector.assertion)
    // Every bit is tried with the vectors of ../uaf; checking an RSA key again for each bit would take minutes here.
    for bit in stride(from: 0, to: assertion.count * 8, by: assertion.count > 400 ? 251 : 11) {
      var changed = assertion
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(!server.accepts(Vector.replacing(changed, in: response)), "bit \(bit)")
    }
    for count in 0..<assertion.count {
      #expect(!server.accepts(Vector.replacing(Array(assertion[..<count]), in: response)), "\(count) bytes")
    }
  }
}
