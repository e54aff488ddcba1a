import FidoResults
import Glibc

/// Where the programs that belong together lie.
enum ProgramPath {
  /// The path of `name` in the folder this very program was started from, as the kernel tells it.
  ///
  /// - Throws: ``Ending`` (1006) where it does not tell.
  static func beside(_ name: String) throws(Ending) -> String {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    // SAFETY: at most as many bytes as the array has are written.
    let count = unsafe readlink("/proc/self/exe", &bytes, bytes.count)
    let path = String(decoding: bytes.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard count > 0, count < bytes.count, let slash = path.lastIndex(of: "/") else {
      throw Ending(.clientMismatch, log: "/proc/self/exe cannot be read")
    }
    return "\(path[...slash])\(name)"
  }
}
