import FidoResults
import Glibc

/// Where the programs that belong together lie.
enum ProgramPath {
  /// The path of this program, from the kernel; nil where that fails.
  static func own() -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    // SAFETY: at most as many bytes as the array has are written.
    let count = unsafe readlink("/proc/self/exe", &bytes, bytes.count)
    guard count > 0, count < bytes.count else { return nil }
    return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The path of `name` in the folder of this program.
  ///
  /// - Throws: ``Ending`` (1006) where that is not known.
  static func beside(_ name: String) throws(Ending) -> String {
    guard let path = own(), let slash = path.lastIndex(of: "/") else {
      throw Ending(.clientMismatch, log: "/proc/self/exe cannot be read")
    }
    return "\(path[...slash])\(name)"
  }
}
