// Purpose: A request of HTTP and its response as values, for everything that answers requests: UAF, the API, the console.
//
// Imports NIO's types for methods, status codes, headers and addresses. It opens no connection and decides nothing.
