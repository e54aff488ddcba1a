import Glibc

/// The target that the environment names, or else the program's own name: one program serves all targets, and whoever fuzzes
/// elsewhere wants a program for each (`.clusterfuzzlite/build.sh`).
private let target: FuzzTarget = {
  // SAFETY: nothing changes the environment of this process.
  let told = unsafe getenv("FUZZ_TARGET").map { unsafe String(cString: $0) }
  let own = CommandLine.arguments.first?.split(separator: "/").last.map(String.init)
  let name = told ?? own ?? ""
  guard let target = FuzzTarget(rawValue: name) else {
    let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: " ")
    print("fuzz: FUZZ_TARGET, or the program's name, must be one of: \(names)")
    exit(64)
  }
  return target
}()

/// What libFuzzer calls for each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // SAFETY: libFuzzer hands over `count` bytes that are ours to read until we return.
  target.run(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
