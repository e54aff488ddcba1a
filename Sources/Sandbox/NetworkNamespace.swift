import CProcess
import Glibc

/// The network this process sees.
public enum NetworkNamespace {
  /// Leaves the machine's network for an empty one; sockets that are open stay what they are.
  ///
  /// - Returns: the system's error number, or 0. It takes `CAP_SYS_ADMIN`.
  public static func leave() -> CInt { process_leave_network() == 0 ? 0 : errno }
}
