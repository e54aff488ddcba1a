/// A request that is refused by a status of HTTP, because UAF has none for it.
struct WebRefusal: Error {
  let answer: WebAnswer

  init(_ answer: WebAnswer) { self.answer = answer }
}
