import CArguments
import Foundation
import Testing

struct `The arguments of this program` {
  @Test func `are the kernel's own copy, and Swift's runtime gets them from this target`() throws {
    let kept = try #require(FileManager.default.contents(atPath: "/proc/self/cmdline"))
    // Each argument ends with a NUL.
    let arguments = kept.split(separator: 0, omittingEmptySubsequences: false).dropLast()
    #expect(CommandLine.arguments == arguments.map { String(decoding: $0, as: UTF8.self) })
    #expect(CommandLine.arguments.count == Int(CommandLine.argc))
  }

  @Test func `end with a null pointer`() {
    var count: CInt = 0
    let list = unsafe _swift_stdlib_getUnsafeArgvArgc(&count)
    #expect(count > 0)
    unsafe #expect(list?[Int(count)] == nil)
  }
}
