"""The installation's own certificate authority, and a certificate for each part: server and client in one."""

from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from setpoint.installation import Installation, write_file

_CA_DAYS = 3650
_LEAF_DAYS = 730
_RENEW_DAYS = 60


def ensure_certificates(installation: Installation, parts: list[str]) -> None:
    """Make what is missing, and anew what ends within two months. The authority itself is made once."""
    now = datetime.now(UTC)
    ca_key_path = installation.pki / "ca.key"
    if not (installation.ca.exists() and ca_key_path.exists()):
        _make_ca(installation.ca, ca_key_path, now)
    ca = x509.load_pem_x509_certificate(installation.ca.read_bytes())
    ca_key = serialization.load_pem_private_key(ca_key_path.read_bytes(), None)
    assert isinstance(ca_key, ec.EllipticCurvePrivateKey)
    for part in parts:
        if not _good(installation.certificate(part), installation.key(part), now):
            _make_leaf(installation, part, ca, ca_key, now)


def _good(certificate: Path, key: Path, now: datetime) -> bool:
    if not (certificate.exists() and key.exists()):
        return False
    ends = x509.load_pem_x509_certificate(certificate.read_bytes()).not_valid_after_utc
    return ends - now > timedelta(days=_RENEW_DAYS)


def _make_ca(certificate: Path, key_path: Path, now: datetime) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Setpoint installation CA")])
    made = (
        _builder(name, name, key.public_key(), now, _CA_DAYS)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .sign(key, hashes.SHA256())
    )
    write_file(key_path, _pem(key))
    write_file(certificate, made.public_bytes(serialization.Encoding.PEM).decode(), 0o644)


def _make_leaf(
    installation: Installation,
    part: str,
    ca: x509.Certificate,
    ca_key: ec.EllipticCurvePrivateKey,
    now: datetime,
) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"setpoint:{part}")])
    names = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(IPv4Address("127.0.0.1"))])
    both = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH])
    made = (
        _builder(subject, ca.subject, key.public_key(), now, _LEAF_DAYS)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(both, critical=False)
        .add_extension(names, critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key()), critical=False)
        .sign(ca_key, hashes.SHA256())
    )
    write_file(installation.key(part), _pem(key))
    write_file(installation.certificate(part), made.public_bytes(serialization.Encoding.PEM).decode(), 0o644)


def _builder(
    subject: x509.Name, issuer: x509.Name, public_key: ec.EllipticCurvePublicKey, now: datetime, days: int
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public_key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public_key), critical=False)
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _pem(key: ec.EllipticCurvePrivateKey) -> str:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
