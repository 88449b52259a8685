"""A CA, a server certificate for 127.0.0.1 and a client certificate, for tests."""

from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

Pair = tuple[x509.Certificate, ec.EllipticCurvePrivateKey]


def make_certificates(folder: Path) -> None:
    """Writes ca.crt, server.crt/.key and client.crt/.key (CN cert-user, O cert-group) unless they are there."""
    if (folder / "ca.crt").exists():
        return
    folder.mkdir(parents=True)
    authority = _issue(_name("test CA"), None)
    (folder / "ca.crt").write_bytes(authority[0].public_bytes(serialization.Encoding.PEM))
    # Of both ends: an API server speaks with its etcd by the same one.
    both = (ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH)
    _write(folder, "server", _issue(_name("server"), authority, *both))
    _write(folder, "client", _issue(_name("cert-user", "cert-group"), authority, ExtendedKeyUsageOID.CLIENT_AUTH))


def _name(common: str, organization: str = "") -> x509.Name:
    parts = [x509.NameAttribute(NameOID.COMMON_NAME, common)]
    if organization:
        parts.append(x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization))
    return x509.Name(parts)


def _issue(subject: x509.Name, issuer: Pair | None, *usages: x509.ObjectIdentifier) -> Pair:
    key = ec.generate_private_key(ec.SECP256R1())
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer[0].subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    if usages:
        names = [x509.IPAddress(IPv4Address("127.0.0.1")), x509.DNSName("localhost")]
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        builder = builder.add_extension(x509.ExtendedKeyUsage(usages), critical=False)
    signing = issuer[1] if issuer else key
    builder = builder.add_extension(
        x509.AuthorityKeyIdentifier.from_issuer_public_key(signing.public_key()), critical=False
    )
    return builder.sign(signing, hashes.SHA256()), key


def _write(folder: Path, name: str, pair: Pair) -> None:
    certificate, key = pair
    (folder / f"{name}.crt").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    encoded = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / f"{name}.key").write_bytes(encoded)
    (folder / f"{name}.key").chmod(0o600)
