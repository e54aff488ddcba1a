import AsyncHTTPClient
import Glibc
import NIOCore
import NIOPosix
import NIOSSL

/// Why a sink of the audit has not taken rows.
///
/// Nothing that the other side chose is in it, but for a number.
enum SinkFailure: Error, Equatable, CustomStringConvertible {
  case system(errorNumber: Int32)
  case unknownHost
  case untrusted
  case otherName
  case silent
  case closed
  case status(UInt)
  case other(String)

  var description: String {
    switch self {
    // SAFETY: strerror's text is copied at once.
    case .system(let errorNumber): unsafe String(cString: strerror(errorNumber))
    case .unknownHost: "its name has no address: check the name, and this machine's name servers"
    case .untrusted:
      "no TLS connection: its certificate is of no authority that is trusted, or is not valid now, or it speaks no TLS 1.2"
    case .otherName: "its certificate is for another name: give the name that the certificate has"
    case .silent: "it does not answer in time"
    case .closed: "it closed the connection before it had all"
    case .status(let code): "it answered with the HTTP status \(code)"
    case .other(let text): text
    }
  }

  /// Reads an error of the network or of TLS.
  init(_ error: any Error) {
    self =
      switch error {
      case let failure as SinkFailure: failure
      case let error as IOError: .system(errorNumber: error.errnoCode)
      case let error as NIOConnectionError: Self.connection(error)
      case let error as NIOSSLExtraError where error == .failedToValidateHostname: .otherName
      case let error as NIOSSLError: Self.tls(error)
      case let error as ChannelError: Self.channel(error)
      case let error as HTTPClientError: Self.http(error)
      default: .other("\(type(of: error))")
      }
  }

  private static func connection(_ error: NIOConnectionError) -> SinkFailure {
    guard let first = error.connectionErrors.first else { return .unknownHost }
    return SinkFailure(first.error)
  }

  private static func tls(_ error: NIOSSLError) -> SinkFailure {
    switch error {
    case .handshakeFailed: .untrusted
    case .unableToValidateCertificate, .noCertificateToValidate: .otherName
    default: .closed
    }
  }

  private static func channel(_ error: ChannelError) -> SinkFailure {
    if case .connectTimeout = error { .silent } else { .closed }
  }

  private static func http(_ error: HTTPClientError) -> SinkFailure {
    switch error {
    case .connectTimeout, .deadlineExceeded, .readTimeout, .writeTimeout, .tlsHandshakeTimeout: .silent
    case .remoteConnectionClosed: .closed
    default: .other("\(error.shortDescription)")
    }
  }
}
