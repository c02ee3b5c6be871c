-- Each host is held to its own certificate: every host of a data centre has one of the same authority, so that a signature
-- alone lets any of them pretend to be any other. A host without a row was never in contact. Hosts that were there before
-- get the kind 0: their next certificate is accepted, whatever it names, so that none loses contact by the upgrade.

CREATE TABLE host_certificate (
    host_id     uuid        PRIMARY KEY REFERENCES host_static ON DELETE CASCADE,
    kind        smallint    NOT NULL CHECK (kind IN (0, 1, 2)),
    fingerprint text        CHECK (fingerprint ~ '^[0-9a-f]{64}$'),
    subject     text        NOT NULL CHECK (length(subject) <= 255),
    since       timestamptz NOT NULL,
    CHECK ((kind = 0) = (fingerprint IS NULL))
);

COMMENT ON TABLE host_certificate IS 'Which certificate each host is known by. Written at first contact, when a renewed certificate is accepted, and when an administrator confirms one.';
COMMENT ON COLUMN host_certificate.host_id IS 'The host. Owner: engine.';
COMMENT ON COLUMN host_certificate.kind IS 'Code of what it is held to: 0 the next certificate is accepted, 1 a certificate that names the address, 2 the certificate with this fingerprint. Owner: engine.';
COMMENT ON COLUMN host_certificate.fingerprint IS 'SHA-256 of the certificate that was accepted last, hexadecimal; null for kind 0. Owner: engine.';
COMMENT ON COLUMN host_certificate.subject IS 'Subject of that certificate, for people; empty for kind 0. Owner: engine.';
COMMENT ON COLUMN host_certificate.since IS 'When the host showed it first, or when it was confirmed. Owner: engine.';

INSERT INTO host_certificate (host_id, kind, subject, since)
SELECT host_id, 0, '', now()
  FROM host_static;
