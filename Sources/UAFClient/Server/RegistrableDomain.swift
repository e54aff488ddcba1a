import CPSL
import UAFMessages

/// The part of a host name that one owner registered: the public suffix and one label.
enum RegistrableDomain {
  /// The registrable domain; nil for addresses, names of one label, and public suffixes themselves.
  ///
  /// By the list that libpsl was built with, which the distribution keeps: no file is read and nobody is asked. A suffix
  /// the list does not know counts as one label.
  static func of(_ address: HTTPSAddress) -> String? {
    guard address.hasDomain else { return nil }
    // SAFETY: the list lives as long as the process; the result points into `host`, or is NULL.
    return unsafe address.host.withCString { host in
      guard let list = unsafe psl_builtin(), let domain = unsafe psl_registrable_domain(list, host) else { return nil }
      return unsafe String(cString: domain)
    }
  }

  /// Whether two hosts belong to one owner; a host without a registrable domain belongs only to itself.
  static func isShared(by first: HTTPSAddress, _ second: HTTPSAddress) -> Bool {
    if first.host == second.host { return true }
    guard let domain = of(first) else { return false }
    return domain == of(second)
  }
}
