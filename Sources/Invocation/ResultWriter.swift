import Glibc
import HostSystem
import Synchronization

/// Where results are written to, and whether all of them went out.
public final class ResultWriter: Sendable {
  private let descriptor: CInt
  private let firstFailure = Mutex<CInt?>(nil)

  /// Writes to `descriptor`, which stays the caller's.
  public init(_ descriptor: CInt) { self.descriptor = descriptor }

  /// The system's error number of the write that failed; nil where none did.
  public var failure: CInt? { firstFailure.withLock { $0 } }

  /// Writes a line; nothing after one that could not be written, so that what there is has no gaps.
  public func write(line: String) {
    firstFailure.withLock { failure in
      guard failure == nil, !DescriptorWriter.write(Array((line + "\n").utf8), to: descriptor) else { return }
      failure = errno
    }
  }
}
