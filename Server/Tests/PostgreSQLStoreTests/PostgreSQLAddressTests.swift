import Testing

@testable import PostgreSQLStore

/// Which URLs are accepted as the address of a store.
struct PostgreSQLAddressTests {
  private func refusal(_ url: String) -> PostgreSQLRefusal? {
    do {
      _ = try PostgreSQLAddress(url)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    "postgresql://a/uaf", "postgres:///uaf?host=/run/postgresql", "postgresql://uaf@a,b,c/uaf?sslmode=verify-full",
    "postgresql://a:5433,b:5434/uaf?target_session_attrs=primary&channel_binding=require&passfile=/etc/x",
  ])
  func `accepts a libpq URL as a store`(url: String) {
    #expect(refusal(url) == nil)
  }

  @Test(arguments: [
    "", "host=a dbname=uaf", "http://a/uaf", "postgresql://a/uaf?colour=red", "postgresql://[::1/uaf",
    "postgresql://a/uaf?sslmode", "sqlite:x", "postgresql:///uaf?host=a,b,c&port=1,2",
    "postgresql:///uaf?host=a,b&hostaddr=::1,::1,::1",
  ])
  func `refuses a store that is not named by a libpq URL`(url: String) {
    #expect(refusal(url) == .wrongURL)
  }

  @Test(arguments: [
    "postgresql://uaf:4711@a/uaf", "postgresql://a/uaf?password=4711", "postgresql://a/uaf?sslpassword=4711",
  ])
  func `refuses a URL with a password, and does not repeat the password in the error`(url: String) {
    #expect(refusal(url) == .passwordInURL)
    #expect(refusal(url)?.description.contains("4711") == false)
  }

  @Test func `refuses an invalid URL that has a password, and does not repeat the password in the error`() {
    #expect(refusal("postgresql://uaf:4711@[::1/uaf")?.description.contains("4711") == false)
  }

  @Test func `refuses a URL that names a service, because the service's file could contain a password`() {
    #expect(refusal("postgresql://a/uaf?service=x") == .settingNotAllowed("service"))
  }

  @Test(arguments: [("postgresql:///uaf", 1), ("postgresql://a,b,c/uaf", 3), ("postgresql:///uaf?host=/a,/b", 2)])
  func `counts the hosts in a libpq URL`(url: String, hosts: Int) throws {
    #expect(try PostgreSQLAddress(url).hosts == hosts)
  }
}
