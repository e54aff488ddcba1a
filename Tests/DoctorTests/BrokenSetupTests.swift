import FidoResults
import Foundation
import Testing
import ToolTestSupport

@testable import Doctor

/// `doctor` on administrators' mistakes, and on the same machine without them.
@Suite struct BrokenSetupTests {
  private func findings(_ whole: WholeMachine) throws -> [[String: String]] {
    let output = whole.machine.doctor().json
    let document = try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
    return try #require(document["findings"] as? [[String: String]])
  }

  @Test(arguments: BrokenSetup.server + BrokenSetup.machine + BrokenSetup.stacks)
  func `doctor names each mistake with a remedy, and does not report the same machine without the mistake`(
    setup: BrokenSetup
  ) throws {
    let whole = WholeMachine()
    #expect(try findings(whole).filter { $0["id"] != nil }.isEmpty)
    setup.breaking(whole)
    let found = try #require(try findings(whole).first { $0["id"] == setup.finding.rawValue })
    #expect(found["remedy"]?.isEmpty == false && found["text"]?.isEmpty == false)
    let line = try #require(
      whole.machine.doctor().output.split(separator: "\n").first { $0.hasSuffix(" [\(setup.finding.rawValue)]") })
    #expect(line.hasPrefix("FAIL ") || line.hasPrefix("warn "))
    #expect(line.contains(" : \(found["remedy"] ?? "-") ["))
  }

  @Test func `doctor reports each mistake completely in Korean, too`() throws {
    for setup in BrokenSetup.server + BrokenSetup.machine + BrokenSetup.stacks {
      let whole = WholeMachine()
      setup.breaking(whole)
      let english = whole.machine.doctor().json
      let korean = whole.machine.doctor(in: .korean).json
      let names = { (text: String) in text.matches(of: /"id":"([a-z-]+)"/).map { String($0.1) } }
      #expect(names(english) == names(korean), "\(setup)")
      #expect(korean.contains { ("가"..."힣").contains($0) }, "\(setup)")
    }
  }
}
