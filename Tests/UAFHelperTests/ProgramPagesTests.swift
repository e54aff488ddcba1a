import Foundation
import Testing

@testable import UAFHelper

@Suite struct ProgramPagesTests {
  @Test func `maps every page of a library's code into memory, whether it was used or not`() throws {
    ProgramPages.map()
    let code = try libraryCode("/libcrypto.so.")
    #expect(!code.isEmpty && code.allSatisfy { $0.size != nil })
    for (size, resident) in code { #expect(resident == size) }
  }

  /// The size of each code mapping of a library, and how much of it is in memory, in KiB, by proc_pid_smaps(5).
  private func libraryCode(_ name: String) throws -> [(size: Int?, resident: Int?)] {
    // The files of /proc have no size that could be read first.
    let file = try #require(FileHandle(forReadingAtPath: "/proc/self/smaps"))
    let lines = String(decoding: try #require(try file.readToEnd()), as: UTF8.self).split(separator: "\n")
    return lines.indices.filter { lines[$0].contains(" r-xp ") && lines[$0].contains(name) }.map { start in
      let fields = lines[start...].dropFirst()
      func value(_ field: String) -> Int? {
        fields.first { $0.hasPrefix(field) }.flatMap { Int($0.filter(\.isNumber)) }
      }
      return (value("Size:"), value("Rss:"))
    }
  }
}
