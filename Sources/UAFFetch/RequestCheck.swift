import UAFWire

/// What a request may ask for, checked before any of it reaches libcurl.
enum RequestCheck {
  /// Why the request is not acceptable, in words for the log; nil if it is.
  ///
  /// - Parameter places: the places that the core named at the start; nil if it named none.
  static func objection(to request: FetchRequest, within places: FetchPlaces? = nil) -> String? {
    // Without TLS only programs of this machine may be asked, and not through a proxy.
    let isPlain = FetchPlaces.isPlain(request.url)
    guard isPlain || request.url.utf8.count > 8 && request.url.prefix(8).lowercased() == "https://" else {
      return "the address is not an https address"
    }
    guard !isPlain || FetchPlaces.place(of: request.url) != nil && request.proxy == nil else {
      return "http is for this machine alone, without a proxy"
    }
    guard isPrintable(request.url, spaces: false) else { return "the address has bytes no address has" }
    guard isPrintable(request.contentType ?? "", spaces: true), isPrintable(request.accept ?? "", spaces: true) else {
      return "a content type has bytes no header has"
    }
    guard isPrintable(request.proxy ?? "", spaces: false) else { return "the proxy's address has bytes no address has" }
    guard isPrintable(request.machineProof ?? "", spaces: false) else { return "the proof has bytes no header has" }
    guard places?.allow(request.url, proxy: request.proxy) ?? true else {
      return "the address or the proxy is not one that was named when this program started"
    }
    guard request.method == .post || request.body == nil else { return "a GET request has no body" }
    return nil
  }

  /// ASCII without control bytes: a line feed in a header's value would begin a header of its own.
  private static func isPrintable(_ text: String, spaces: Bool) -> Bool {
    text.utf8.allSatisfy { (spaces ? 0x20 : 0x21)...0x7E ~= $0 }
  }
}
