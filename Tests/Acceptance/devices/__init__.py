"""What holds the device key: a chip (TPM), which is Debian's swtpm here, under logins through libpam, sudo and uafctl."""
