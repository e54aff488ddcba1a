/// A request that is refused by a status of HTTP, because UAF has none for it.
package struct WebRefusal: Error {
  package let answer: WebAnswer

  package init(_ answer: WebAnswer) { self.answer = answer }
}
