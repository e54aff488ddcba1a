#!/usr/bin/perl
# Verifies registrations and logins with Debian's libauthen-webauthn-perl: a JSON object in each line of the input, one in each of
# the output.
use strict;
use warnings;
use Authen::WebAuthn;
use JSON;

$| = 1;
my $party = Authen::WebAuthn->new(rp_id => $ENV{RP_ID}, origin => $ENV{ORIGINS});
while (my $line = <STDIN>) {
    my $asked = decode_json($line);
    my $act = delete $asked->{act};
    my $found = eval {
        $act eq 'create' ? $party->validate_registration(%$asked) : $party->validate_assertion(%$asked);
    };
    # The error may contain any bytes, such as those of an attestation, which are not text.
    my $answer = $@ ? { error => "$@" } : { map { $_ => $found->{$_} } qw(credential_id credential_pubkey signature_count) };
    print JSON->new->ascii->encode($answer), "\n";
}
