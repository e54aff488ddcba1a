import Glibc
import ToolTestSupport
import UAFWire

@testable import Doctor
@testable import UAFTool

extension Machine {
  /// Runs `uafctl doctor` on this machine.
  func doctor(as userID: uid_t = 0, colours: Bool = false, locale: String? = nil, _ options: String...) -> Bench {
    Bench(
      ["doctor", "--pam-directory", pam] + options, as: userID, core: core(), locale: locale,
      installation: installation, colours: colours)
  }

  private func core() -> FakeCore {
    FakeCore(each: [document.map { [.finished(Self.finished($0))] } ?? []] + others)
  }

  /// Whether doctor's report has a line with this finding.
  func has(_ id: FindingID, as userID: uid_t = 0) -> Bool { doctor(as: userID).output.contains("[\(id.rawValue)]\n") }

  /// The lines of doctor's report about one subject.
  static func lines(_ bench: Bench, about subject: String) -> [String] {
    bench.output.split(separator: "\n").map(String.init).filter { $0.dropFirst(5).hasPrefix(subject + ": ") }
  }
}
