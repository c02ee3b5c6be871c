package org.stillwater.server.tls;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A certificate authority of the engine's own and the certificate that it issues to the engine, as
 * files in a folder of their own: made at the first start, the latter renewed before it expires or
 * when the engine gets other names. A file that the engine did not write is never overwritten
 * ({@link OwnedFiles}). Not thread-safe.
 *
 * <p>Earlier engines kept these files in the folder of the hosts' certificates. Such files are
 * moved, so that clients that trust the authority continue to trust it; the authority's certificate
 * also stays where it was, for scripts that name that file.
 */
final class OwnAuthority {

    private static final Logger log = LoggerFactory.getLogger(OwnAuthority.class);

    /** The subject of an authority that an engine made. */
    private static final Pattern MADE = Pattern.compile("CN=Stillwater CA [0-9a-z]+,O=Stillwater");

    private static final String AUTHORITY = "ca.pem";
    private static final String AUTHORITY_KEY = "ca.key.pem";
    private static final String CERTIFICATE = "server.pem";
    private static final String KEY = "server.key.pem";

    private static final String ADVICE =
            "Name an empty folder with stillwater.tls.folder, in which the engine makes an"
                    + " authority; certificates for hosts stay where they are"
                    + " (stillwater.wire.tls). Or give the engine's certificate with"
                    + " stillwater.tls.certificate and stillwater.tls.key.";

    private final Path folder;
    private final @Nullable Path former;
    private final OwnedFiles files;
    private final Path authority;
    private final Path authorityKey;
    private final Path certificate;
    private final Path key;
    private boolean warned;

    /**
     * Files of an earlier engine: its authority, and the certificate that it issued, if complete.
     */
    private record Made(
            X509Certificate authority,
            String authorityKey,
            @Nullable String server,
            @Nullable String key) {}

    /**
     * An authority in a folder.
     *
     * @param former where earlier engines kept it, together with files of others; null for nowhere
     *     else
     */
    OwnAuthority(Path folder, @Nullable Path former) {
        this.folder = folder;
        this.former = former;
        this.files = new OwnedFiles(folder);
        this.authority = folder.resolve(AUTHORITY);
        this.authorityKey = folder.resolve(AUTHORITY_KEY);
        this.certificate = folder.resolve(CERTIFICATE);
        this.key = folder.resolve(KEY);
    }

    OwnAuthority(Path folder) {
        this(folder, null);
    }

    Path authority() {
        return authority;
    }

    Path certificate() {
        return certificate;
    }

    Path key() {
        return key;
    }

    /**
     * Makes missing and expiring files.
     *
     * @param names by which clients reach the engine
     * @return whether anything was made
     * @throws TlsRefused if files are in the way that the engine did not write
     */
    boolean provide(Set<String> names, Instant now, Duration validity, Duration renewBefore)
            throws IOException, GeneralSecurityException {
        Path _ = Files.createDirectories(folder);
        boolean whole = Files.exists(authority) && Files.exists(authorityKey);
        if (!whole && former != null) {
            refuseForeign();
            whole = moveFrom(former);
        }
        if (whole && !(files.owns(authority) && files.owns(authorityKey))) {
            adopt();
        }
        refuseForeign();
        if (!whole) {
            if (Files.exists(authority)) {
                log.warn(
                        "The key of the engine's authority {} is lost; making another authority,"
                                + " which clients must trust",
                        authority);
            }
            makeAuthority(now);
        }
        warnOfEnd(now);
        if (whole && suffices(names, now, renewal(now.plus(renewBefore)))) {
            return false;
        }
        issue(names, now, validity);
        return true;
    }

    /**
     * When the authority ends. It is replaced by nothing but an operator: the clock that is wrong
     * may be that of now.
     */
    private Instant end() throws IOException, GeneralSecurityException {
        return PemFiles.certificates(Files.readString(authority))
                .getFirst()
                .getNotAfter()
                .toInstant();
    }

    private void warnOfEnd(Instant now) throws IOException, GeneralSecurityException {
        boolean ended = !end().isAfter(now);
        if (ended && !warned) {
            log.warn(
                    "The engine's authority {} ended at {}, perhaps because it was made while this"
                            + " machine's clock was behind, and clients refuse it. To have another"
                            + " one, which clients must trust, remove the folder and restart the"
                            + " engine",
                    authority,
                    end());
        }
        warned = ended;
    }

    /** The time that a certificate must last beyond; none lasts longer than its authority. */
    private Instant renewal(Instant usual) throws IOException, GeneralSecurityException {
        Instant last = end().minusSeconds(1);
        return usual.isBefore(last) ? usual : last;
    }

    /** Files of an earlier engine, which kept no list of its files, are the engine's. */
    private void adopt() throws IOException {
        Made made = made(folder);
        if (made == null || !PemFiles.pem(made.authority()).equals(readIfThere(authority))) {
            return;
        }
        files.adopt(authority);
        files.adopt(authorityKey);
        if (made.server() != null) {
            files.adopt(certificate);
            files.adopt(key);
        }
    }

    private void refuseForeign() throws IOException {
        for (Path file : List.of(authority, authorityKey, certificate, key)) {
            if (files.isForeign(file)) {
                throw new TlsRefused(
                        "The engine did not write %s, and does not overwrite it with its own."
                                .formatted(file),
                        ADVICE,
                        null);
            }
        }
    }

    /**
     * Moves the files of an earlier engine. The certificate of the authority goes last: until it is
     * there, the next start does all of it again.
     *
     * @return whether there was such an authority
     */
    private boolean moveFrom(Path from) throws IOException {
        Made made = made(from);
        if (made == null) {
            return false;
        }
        if (made.server() != null && made.key() != null) {
            files.write(key, made.key(), true);
            files.write(certificate, made.server(), false);
        }
        files.write(authorityKey, made.authorityKey(), true);
        files.write(authority, PemFiles.pem(made.authority()), false);
        Files.deleteIfExists(from.resolve(AUTHORITY_KEY));
        if (made.server() != null) {
            Files.deleteIfExists(from.resolve(KEY));
            Files.deleteIfExists(from.resolve(CERTIFICATE));
        }
        log.info(
                "Moved the engine's authority from {} to {}: the former folder is for the hosts'"
                        + " certificates; clients go on trusting it",
                from,
                folder);
        return true;
    }

    /**
     * The authority that an engine made in a folder, known by its subject, its kind of key and its
     * own signature; null if there is none. An operator may have put another {@code ca.pem} over
     * its certificate; then it is still in the chain of the issued certificate.
     */
    private static @Nullable Made made(Path folder) throws IOException {
        String keyText;
        try {
            keyText = readIfThere(folder.resolve(AUTHORITY_KEY));
        } catch (AccessDeniedException notOurs) {
            return null; // the engine's user can read the engine's own files
        }
        if (keyText.isEmpty()) {
            return null;
        }
        String server = readIfThere(folder.resolve(CERTIFICATE));
        for (String text : List.of(readIfThere(folder.resolve(AUTHORITY)), server)) {
            try {
                X509Certificate candidate = PemFiles.certificates(text).getLast();
                if (isMade(candidate, keyText)) {
                    String serverKey = readIfThere(folder.resolve(KEY));
                    boolean issued = isIssued(server, serverKey, candidate);
                    return new Made(
                            candidate, keyText, issued ? server : null, issued ? serverKey : null);
                }
            } catch (GeneralSecurityException notOurs) {
                log.debug("No authority of an engine in {}", folder, notOurs);
            }
        }
        return null;
    }

    /** A file byte by byte, because it may be anything; empty if there is none. */
    private static String readIfThere(Path file) throws IOException {
        return Files.isRegularFile(file)
                ? new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)
                : "";
    }

    private static boolean isMade(X509Certificate candidate, String keyText)
            throws GeneralSecurityException {
        if (!MADE.matcher(candidate.getSubjectX500Principal().getName()).matches()
                || !candidate.getPublicKey().getAlgorithm().equals("EC")) {
            return false;
        }
        candidate.verify(candidate.getPublicKey());
        return PemFiles.belong(candidate.getPublicKey(), PemFiles.key(keyText, "EC"));
    }

    private static boolean isIssued(String server, String key, X509Certificate by) {
        try {
            X509Certificate present = PemFiles.certificates(server).getFirst();
            present.verify(by.getPublicKey());
            return PemFiles.belong(
                    present.getPublicKey(),
                    PemFiles.key(key, present.getPublicKey().getAlgorithm()));
        } catch (GeneralSecurityException notOurs) {
            return false;
        }
    }

    private boolean suffices(Set<String> names, Instant now, Instant until)
            throws IOException, GeneralSecurityException {
        if (!Files.exists(certificate) || !Files.exists(key)) {
            return false;
        }
        X509Certificate present = PemFiles.certificates(Files.readString(certificate)).getFirst();
        // It may have been made while the machine's clock was ahead.
        return !present.getNotBefore().toInstant().isAfter(now)
                && present.getNotAfter().toInstant().isAfter(until)
                && CertificateNames.of(present).containsAll(names);
    }

    private void makeAuthority(Instant now) throws IOException, GeneralSecurityException {
        CertificateIssuer.Issued made = CertificateIssuer.authority(now);
        files.write(authorityKey, PemFiles.pem(made.key()), true);
        files.write(authority, PemFiles.pem(made.certificate()), false);
    }

    private void issue(Set<String> names, Instant now, Duration validity)
            throws IOException, GeneralSecurityException {
        X509Certificate issuer = PemFiles.certificates(Files.readString(authority)).getFirst();
        if (issuer.getNotBefore().toInstant().isAfter(now)) {
            log.warn(
                    "The engine's authority {} is valid from {} only: it was made while this"
                        + " machine's clock was ahead, and clients refuse it until then. To have"
                        + " another one, which clients must trust, remove the folder and restart"
                        + " the engine",
                    authority,
                    issuer.getNotBefore().toInstant());
        }
        PrivateKey issuerKey =
                PemFiles.key(Files.readString(authorityKey), issuer.getPublicKey().getAlgorithm());
        CertificateIssuer.Issued made =
                CertificateIssuer.server(issuer, issuerKey, names, now, validity);
        files.write(key, PemFiles.pem(made.key()), true);
        files.write(certificate, PemFiles.pem(made.certificate()) + PemFiles.pem(issuer), false);
    }
}
