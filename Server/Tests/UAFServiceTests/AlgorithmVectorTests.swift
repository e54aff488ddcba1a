import Testing
import UAFMessages

@testable import ServerTesting
@testable import UAFService

/// Complete messages for each algorithm and key encoding, made by independent software (Tests/Vectors/algorithms).
struct AlgorithmVectorTests {
  @Test
  func `the vectors have a registration and an authentication for each of the sixteen algorithms with key encodings`() {
    #expect(Vector.algorithms.count == 32)
  }

  @Test(arguments: Vector.algorithms) func `a valid message of each algorithm and key encoding is accepted`(
    vector: Vector
  ) throws {
    #expect(try vector.server.refusal(vector.response) == nil)
  }

  @Test(arguments: Vector.algorithms)
  func `a message of each algorithm is refused if a bit of its assertion is changed or bytes are missing`(
    vector: Vector
  ) throws {
    let (server, response, assertion) = try (vector.server, vector.response, vector.assertion)
    // Only some bits are flipped, because checking an RSA key for each bit would take minutes. The vectors of ../uaf cover
    // every bit.
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
