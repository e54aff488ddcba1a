"""The console of uaf-server in a real browser, and before hostile visitors."""
