import Glibc

/// The target named in the environment: one program serves all targets.
private let target: FuzzTarget = {
  // SAFETY: nothing changes the environment of this process.
  let name = unsafe getenv("FUZZ_TARGET").map { unsafe String(cString: $0) } ?? ""
  guard let target = FuzzTarget(rawValue: name) else {
    let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: " ")
    print("fuzz: FUZZ_TARGET must be one of: \(names)")
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
