import CCurl
import UAFWire

/// The request headers that are not libcurl's own, in the form libcurl wants them.
@safe final class HeaderList {
  /// The list; nil if there was no memory for any of it.
  private(set) var list: UnsafeMutablePointer<curl_slist>?
  /// Whether there was memory for all of it.
  private(set) var isComplete = true

  /// The headers of `request`, whose values must have passed ``RequestCheck``.
  init(_ request: FetchRequest) {
    // Without a value a header is left out: no waiting for "100 Continue", no made-up types.
    append("Expect:")
    append("Accept:" + (request.accept.map { " " + $0 } ?? ""))
    append("Content-Type:" + (request.contentType.map { " " + $0 } ?? ""))
    if let proof = request.machineProof { append("UAF-Machine: " + proof) }
  }

  private func append(_ line: String) {
    // SAFETY: libcurl copies the line, and leaves the list as it was if it cannot.
    if let longer = unsafe curl_slist_append(list, line) { unsafe list = longer } else { isComplete = false }
  }

  // SAFETY: the list is ours; its transfer is over.
  deinit { unsafe curl_slist_free_all(list) }
}
