"""All parties, by their names."""

from webauthn.rigs.debian import Glewlwyd, Go, Perl
from webauthn.rigs.django import DjangoAllauth, DjangoOTPWebauthn
from webauthn.rigs.flask_security import FlaskDefaults, FlaskMachines
from webauthn.rigs.own import UAFServer
from webauthn.rigs.privacyidea import PrivacyIDEA, PrivacyIDEAToken
from webauthn.rigs.small import KanidmTypes, PythonFido2, PyWebauthn

_KINDS = (
    UAFServer,
    PyWebauthn,
    PythonFido2,
    DjangoOTPWebauthn,
    DjangoAllauth,
    FlaskDefaults,
    FlaskMachines,
    PrivacyIDEA,
    PrivacyIDEAToken,
    Go,
    Perl,
    Glewlwyd,
    KanidmTypes,
)
PARTIES = {kind.name: kind for kind in _KINDS}
