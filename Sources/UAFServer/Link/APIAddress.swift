import ArgumentParser

/// Where a running server has its API: `unix:PATH`, or `https://HOST:PORT`.
enum APIAddress: Equatable, ExpressibleByArgument, CustomStringConvertible {
  case unixSocket(path: String)
  case network(PublicURL)

  init?(argument: String) {
    if let path = ListenAddress(argument: argument)?.path {
      self = .unixSocket(path: path)
    } else if let url = PublicURL(argument: argument), url.text.dropFirst("https://".count).contains("/") == false {
      self = .network(url)
    } else {
      return nil
    }
  }

  /// What a request's target follows.
  var base: String {
    switch self {
    case .unixSocket(let path): "http+unix://" + PathText.encoded(path)
    case .network(let url): url.text
    }
  }

  var description: String {
    switch self {
    case .unixSocket(let path): path
    case .network(let url): url.text
    }
  }
}
