"""slapd with its own folder, on loopback ports, with TLS and nothing without it."""

import base64
import shutil
import socket
import subprocess

from fleet.programs import Program, as_user, folder, write
from lab.waiting import until

NAME, ADDRESS, PLAIN, TLS = "ldap.example.org", "127.0.0.2", 3890, 6360
SUFFIX = "dc=example,dc=org"
PEOPLE, GROUPS = f"ou=people,{SUFFIX}", f"ou=groups,{SUFFIX}"
ADMIN, READER, FEW = (f"cn={name},{SUFFIX}" for name in ("admin", "reader", "few"))
PASSWORDS = {ADMIN: "admin-Password-1", READER: "reader-Password-2", FEW: "few-Password-3"}
# A search without pages, or whose pages are not counted, gets 50 entries at most; `few` gets 20 in all.
CONFIGURATION = """\
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload memberof
TLSCACertificateFile {files}/ca.pem
TLSCertificateFile {files}/leaf.pem
TLSCertificateKeyFile {files}/leaf.key
security simple_bind=128
database mdb
suffix "{suffix}"
rootdn "{admin}"
rootpw {password}
directory {data}
overlay memberof
sizelimit size.soft=50 size.hard=50 size.prtotal=unlimited
limits dn.exact="{few}" size.soft=20 size.hard=20 size.prtotal=20
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="{reader}" read by dn.exact="{few}" read by * none
"""


def entry(dn, *classes, **values):
    """The LDIF of an entry; each value is a text or a list of texts, written in Base64."""
    lines = [f"dn:: {base64.b64encode(dn.encode()).decode()}"]
    for name, texts in {"objectClass": list(classes), **values}.items():
        for text in [texts] if isinstance(texts, str) else texts:
            lines.append(f"{name}:: {base64.b64encode(text.encode()).decode()}")
    return "\n".join(lines) + "\n\n"


def person(name, shown, **values):
    return entry(f"uid={name},{PEOPLE}", "inetOrgPerson", uid=name, cn=shown, sn=shown, **values)


class Directory:
    """slapd. `write_again` empties it."""

    def __init__(self, certificates):
        self.authority = certificates / "ca.pem"
        self._data = folder("/srv/ldap")
        text = CONFIGURATION.format(
            files=certificates, suffix=SUFFIX, admin=ADMIN, reader=READER, few=FEW, password=PASSWORDS[ADMIN], data=self._data
        )
        self._configuration = write("/srv/slapd.conf", text)
        urls = f"ldap://{ADDRESS}:{PLAIN} ldaps://{ADDRESS}:{TLS}"
        # 256: connections, operations and results.
        command = ["/usr/sbin/slapd", "-d", "256", "-h", urls, "-f", self._configuration]
        self.program = Program("slapd", command)
        self._secret = write("/srv/admin.password", PASSWORDS[ADMIN])

    def write_again(self, entries):
        """Starts an empty directory with these entries."""
        self.program.stop()
        shutil.rmtree(self._data)
        folder(self._data)
        text = entry(SUFFIX, "dcObject", "organization", dc="example", o="Example")
        for unit in ("people", "groups"):
            text += entry(f"ou={unit},{SUFFIX}", "organizationalUnit", ou=unit)
        for dn in (READER, FEW):
            name = dn.split(",")[0].removeprefix("cn=")
            text += entry(dn, "organizationalRole", "simpleSecurityObject", cn=name, userPassword=PASSWORDS[dn])
        as_user("/usr/sbin/slapadd", "-q", "-f", self._configuration, answers=text)
        self.program.start()
        until(self._listens, f"slapd to listen: {self.program.told()[-400:]}")
        # By LDAP, so that memberOf is kept.
        self._ask("ldapadd", text="".join(entries))

    @staticmethod
    def _listens():
        try:
            socket.create_connection((ADDRESS, TLS), 1).close()
        except OSError:
            return False
        return True

    def _ask(self, program, *arguments, text=""):
        """Runs a program as the directory's administrator; returns what it prints."""
        command = [program, "-x", "-H", f"ldaps://{NAME}:{TLS}", "-D", ADMIN, "-y", str(self._secret), *arguments]
        environment = {"LDAPTLS_CACERT": str(self.authority), "PATH": "/usr/bin"}
        done = subprocess.run(command, input=text, text=True, capture_output=True, env=environment, check=False)
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stderr[-400:]}")
        return done.stdout

    def change(self, ldif):
        self._ask("ldapmodify", text=ldif)

    def identifier(self, name):
        """The ID of a person's entry."""
        printed = self._ask("ldapsearch", "-LLL", "-b", PEOPLE, f"(uid={name})", "entryUUID")
        return printed.partition("entryUUID: ")[2].split()[0]

    def remove(self, *names):
        self.change("".join(f"dn: uid={name},{PEOPLE}\nchangetype: delete\n\n" for name in names))

    def add(self, *entries):
        self._ask("ldapadd", text="".join(entries))
