"""The device key in a chip (TPM; here Debian's swtpm), tested with logins through libpam, sudo and uafctl."""
