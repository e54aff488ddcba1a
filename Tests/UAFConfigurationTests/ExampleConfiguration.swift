/// The documentation's example, with every key of `[server]` before the tables below `[server]`.
let exampleConfiguration = #"""
  authenticators = ["passcode", "pattern"]

  [server]
  request_url  = "https://fido.example.com/uaf/get"
  response_url = "https://fido.example.com/uaf/respond"
  dialect      = "fido"                  # or "plain"
  timeout      = 30                      # seconds for one exchange
  tls_verify   = true
  ca_file      = "/etc/pam-uaf/ca.pem"   # default: the system's CA directory
  facet_id     = "linux:pam-module:pam_uaf"
  username     = "{user}"                # the server's name for the account; "{user}@example.com"
  proxy        = ""                      # never from the environment
  send_device  = true
  allow_insecure = false
  require_signed_verdict = false
  # verdict_key = "/etc/pam-uaf/verdict.pub"
  [server.deregistration]                # any operation may have its own
  request_url  = "https://fido.example.com/uaf/dereg"

  [state]
  directory = "/var/lib/pam-uaf"
  kdf_cost  = 16                         # scrypt N = 2^16, r = 8, p = 2

  [general]
  language     = "en"
  export_token = ""                      # name of a PAM environment variable
  # hide_state = true                    # default: remote yes, local no
  # offline    = "deny"                  # "allow" with offline_max_age, per service

  [lock]                                 # for every authenticator ...
  retry_count_to_lock = 5
  lock_time           = 300
  max_lock_count      = 1
  root_permanent_lock = false
  [pattern.lock]                         # ... unless one has its own
  retry_count_to_lock = 3
  [lock.remote]                          # attempts over the network
  retry_count_to_lock = 5

  [passcode]
  ui_type     = "normal"                 # "pin4", "pin6"
  min_length  = 6
  max_length  = 64
  digits_only = false
  keypad      = "plain"                  # "shuffled"
  auto_submit = false
  # regular_expression = '...'           # one, "normal" only

  [passcode.rules]                       # true: the built-in message; a string: yours
  equal_character            = true
  ascending_descending       = "No runs such as 123456, please."
  two_character_repeat       = true
  two_equal_character_repeat = true

  [passcode.ignore]                      # a value containing the key is refused
  "example" = "Not the company's name, please."

  [passcode.regex]                       # the whole value must match every one
  '^(?=.*[A-Za-z])(?=.*\d).{8,}$' = "At least 8 characters, letters and digits."

  [pattern]
  min_nodes = 5

  [prompt]
  accessible  = false
  offer_reset = false
  tries       = 1
  interactive = true                     # the default depends on the service
  cancel_text = { en = "empty line: use your password", ko = "빈 줄: 비밀번호로 로그인" }

  [service.sudo]                         # overrides for one PAM service
  transaction = true
  [service.sshd]
  authenticator = "passcode"
  """#
