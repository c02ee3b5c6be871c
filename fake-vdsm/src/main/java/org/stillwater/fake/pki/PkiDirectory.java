package org.stillwater.fake.pki;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The folder with the certificates of a simulated data centre. Opening it creates missing files and
 * changes no existing one; only their owner can read files with private keys. Thread-safe; several
 * processes may open one folder at the same time.
 *
 * <table>
 * <caption>Files</caption>
 * <tr><td>{@code ca.pem}, {@code ca.key.pem}</td><td>the CA</td></tr>
 * <tr><td>{@code engine.pem}, {@code engine.key.pem}</td><td>the engine's identity, PEM</td></tr>
 * <tr><td>{@code engine.p12}</td><td>the same with the CA's certificate, PKCS#12</td></tr>
 * <tr><td>{@code truststore.p12}</td><td>the CA's certificate as PKCS#12 trust store</td></tr>
 * <tr><td>{@code host.pem}, {@code host.key.pem}</td><td>shared by all hosts: {@code localhost},
 *     127.0.0.1 and ::1</td></tr>
 * <tr><td>{@code hosts/NAME.pem}</td><td>certificates ordered by name, with {@code host.key.pem}
 *     as their key</td></tr>
 * <tr><td>{@code bad/*.pem}</td><td>certificates that must be refused, same key</td></tr>
 * </table>
 */
public final class PkiDirectory {

    /** Password of the PKCS#12 files unless another is given: simulated secrets are no secrets. */
    public static final String DEFAULT_PASSWORD = "stillwater";

    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final Path directory;
    private final Instant now;
    private final CertificateAuthority authority;
    private final Identity engine;
    private final KeyPair hostKey;
    private final Identity sharedHost;

    /** Ways in which a host certificate may be bad. */
    public enum Flaw {
        /** Its time is over. */
        EXPIRED("expired"),
        /** Its time has not come. */
        NOT_YET_VALID("not-yet-valid"),
        /** A CA of the same name but another key signed it. */
        WRONG_CA("wrong-ca"),
        /** It is made out to another host. */
        WRONG_NAME("wrong-name");

        private final String fileName;

        Flaw(String fileName) {
            this.fileName = fileName;
        }
    }

    private PkiDirectory(Path directory, Instant now, char[] password)
            throws IOException, GeneralSecurityException {
        this.directory = directory;
        this.now = now;
        this.authority = openAuthority();
        this.engine = openEngine(password);
        this.hostKey = openKey("host.key.pem");
        this.sharedHost = openSharedHost();
    }

    /**
     * Opens the folder and creates the missing files.
     *
     * @param directory the folder; made if it does not exist
     * @param now the present, for validity
     * @param password of the PKCS#12 files
     * @throws IOException if a file cannot be read or written
     * @throws GeneralSecurityException if a file's content does not fit its name, or the CA has
     *     expired
     */
    public static PkiDirectory open(Path directory, Instant now, char[] password)
            throws IOException, GeneralSecurityException {
        Files.createDirectories(directory);
        synchronized (PkiDirectory.class) {
            return openLocked(directory, now, password);
        }
    }

    /** The file lock keeps other processes out; for threads of one it would be an error. */
    private static PkiDirectory openLocked(Path directory, Instant now, char[] password)
            throws IOException, GeneralSecurityException {
        try (FileChannel channel =
                        FileChannel.open(
                                directory.resolve(".lock"),
                                StandardOpenOption.CREATE,
                                StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            assert lock.isValid();
            return new PkiDirectory(directory, now, password);
        }
    }

    /** The folder. */
    public Path directory() {
        return directory;
    }

    /** The CA. */
    public CertificateAuthority authority() {
        return authority;
    }

    /** The identity that the engine shows to hosts. */
    public Identity engine() {
        return engine;
    }

    /** The identity all hosts may share; good for {@code localhost}, 127.0.0.1 and ::1. */
    public Identity sharedHost() {
        return sharedHost;
    }

    /** A certificate of one host, for the key all hosts share; nothing is written. */
    public Identity host(String name, List<InetAddress> addresses) throws GeneralSecurityException {
        return authority.issue(hostOrder(name, addresses), hostKey);
    }

    /** A certificate a careful client refuses; nothing is written. */
    public Identity badHost(Flaw flaw, String name, List<InetAddress> addresses)
            throws GeneralSecurityException {
        CertificateOrder order = hostOrder(name, addresses);
        return switch (flaw) {
            case EXPIRED ->
                    authority.issue(
                            order.valid(
                                    now.minus(CertificateOrder.LIFETIME),
                                    now.minus(CertificateOrder.BACKDATE)),
                            hostKey);
            case NOT_YET_VALID ->
                    authority.issue(
                            order.valid(
                                    now.plus(CertificateOrder.BACKDATE),
                                    now.plus(CertificateOrder.LIFETIME)),
                            hostKey);
            case WRONG_CA -> CertificateAuthority.create("Stillwater", now).issue(order, hostKey);
            case WRONG_NAME ->
                    authority.issue(
                            CertificateOrder.of("another-host.invalid", List.of(), now), hostKey);
        };
    }

    /**
     * Writes {@code hosts/NAME.pem} unless it exists.
     *
     * @return the file
     */
    public Path writeHost(String name, List<InetAddress> addresses)
            throws IOException, GeneralSecurityException {
        if (!name.matches("[A-Za-z0-9][A-Za-z0-9._-]*")) {
            throw new IllegalArgumentException("'" + name + "' is not a host name");
        }
        Path file = directory.resolve("hosts").resolve(name + ".pem");
        if (!Files.exists(file)) {
            Files.createDirectories(directory.resolve("hosts"));
            write(file, Pem.encode(host(name, addresses).certificate()));
        }
        return file;
    }

    /** Writes one certificate per {@link Flaw} into {@code bad/}, replacing older ones. */
    public Map<Flaw, Path> writeBad(String name, List<InetAddress> addresses)
            throws IOException, GeneralSecurityException {
        Path bad = Files.createDirectories(directory.resolve("bad"));
        Map<Flaw, Path> written = new EnumMap<>(Flaw.class);
        for (Flaw flaw : Flaw.values()) {
            Path file = bad.resolve(flaw.fileName + ".pem");
            write(file, Pem.encode(badHost(flaw, name, addresses).certificate()));
            written.put(flaw, file);
        }
        return written;
    }

    private CertificateOrder hostOrder(String name, List<InetAddress> addresses) {
        return CertificateOrder.of(name, addresses, now).alsoNamed("localhost");
    }

    private CertificateAuthority openAuthority() throws IOException, GeneralSecurityException {
        Path certificateFile = directory.resolve("ca.pem");
        Path keyFile = directory.resolve("ca.key.pem");
        if (Files.exists(certificateFile) != Files.exists(keyFile)) {
            throw new GeneralSecurityException(
                    "%s and %s belong together, but only one of them exists"
                            .formatted(certificateFile, keyFile));
        }
        if (Files.exists(keyFile)) {
            X509Certificate certificate = Pem.certificate(certificateFile);
            KeyPair pair = Pem.keyPair(keyFile);
            if (!pair.getPublic().equals(certificate.getPublicKey())) {
                throw new GeneralSecurityException(
                        keyFile + " is not the key of " + certificateFile);
            }
            if (certificate.getNotAfter().toInstant().isBefore(now)) {
                throw new GeneralSecurityException(
                        "the CA in %s has expired; remove the folder to make a new one"
                                .formatted(directory));
            }
            return new CertificateAuthority(certificate, pair.getPrivate());
        }
        CertificateAuthority made = CertificateAuthority.create("Stillwater", now);
        writeSecret(keyFile, Pem.encode(made.key()));
        write(certificateFile, Pem.encode(made.certificate()));
        return made;
    }

    private Identity openEngine(char[] password) throws IOException, GeneralSecurityException {
        Path certificateFile = directory.resolve("engine.pem");
        KeyPair pair = openKey("engine.key.pem");
        Identity identity =
                openCertificate(
                        certificateFile,
                        pair,
                        CertificateOrder.of("engine", loopback(), now).alsoNamed("localhost"));
        Path keyStore = directory.resolve("engine.p12");
        if (!Files.exists(keyStore)) {
            writeSecret(keyStore, encode(identity.keyStore(password), password));
        }
        Path trustStore = directory.resolve("truststore.p12");
        if (!Files.exists(trustStore)) {
            write(trustStore, encode(KeyStores.trusting(authority.certificate()), password));
        }
        return identity;
    }

    private Identity openSharedHost() throws IOException, GeneralSecurityException {
        return openCertificate(
                directory.resolve("host.pem"),
                hostKey,
                CertificateOrder.of("localhost", loopback(), now));
    }

    private Identity openCertificate(Path file, KeyPair pair, CertificateOrder order)
            throws IOException, GeneralSecurityException {
        if (Files.exists(file)) {
            X509Certificate certificate = Pem.certificate(file);
            if (!certificate.getPublicKey().equals(pair.getPublic())) {
                throw new GeneralSecurityException(file + " does not belong to its key file");
            }
            return new Identity(pair.getPrivate(), certificate, authority.certificate());
        }
        Identity made = authority.issue(order, pair);
        write(file, Pem.encode(made.certificate()));
        return made;
    }

    private KeyPair openKey(String fileName) throws IOException, GeneralSecurityException {
        Path file = directory.resolve(fileName);
        if (Files.exists(file)) {
            return Pem.keyPair(file);
        }
        KeyPair made = CertificateAuthority.newKeyPair();
        writeSecret(file, Pem.encode(made.getPrivate()));
        return made;
    }

    /** 127.0.0.1 and ::1. */
    public static List<InetAddress> loopback() {
        return List.of(InetAddress.ofLiteral("127.0.0.1"), InetAddress.ofLiteral("::1"));
    }

    private static byte[] encode(KeyStore store, char[] password)
            throws IOException, GeneralSecurityException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        store.store(out, password);
        return out.toByteArray();
    }

    private static void write(Path file, byte[] content) throws IOException {
        Path draft = Files.createTempFile(file.getParent(), ".new", null);
        Files.write(draft, content);
        Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rw-r--r--"));
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static void writeSecret(Path file, byte[] content) throws IOException {
        Path draft = Files.createTempFile(file.getParent(), ".new", null, OWNER_ONLY);
        Files.write(draft, content);
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
