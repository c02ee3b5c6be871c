package org.stillwater.server.xapi;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.model.ClusterId;
import org.stillwater.xapi.client.CertificatePins;

/**
 * What the engine remembers of pools beyond its database: the certificates that their hosts showed
 * first, and the newest message of each pool that was told. One file in the data folder, replaced
 * as a whole. Thread-safe.
 */
final class PoolFile implements CertificatePins {

    private static final Logger log = LoggerFactory.getLogger(PoolFile.class);

    private static final String PIN = "certificate.";
    private static final String MESSAGE = "message.";

    private final Path file;
    private final Map<String, String> values = new TreeMap<>();

    /** Why hosts were refused, by address; until they show the pinned certificate again. */
    private final Map<String, String> refusals = new ConcurrentHashMap<>();

    private boolean dirty;

    /**
     * What the file says.
     *
     * @throws UncheckedIOException if it cannot be read: pins must not be forgotten
     */
    PoolFile(Path file) {
        this.file = file;
        Properties read = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            read.load(reader);
        } catch (NoSuchFileException _) {
            // The first start.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        read.stringPropertyNames().forEach(name -> values.put(name, read.getProperty(name)));
    }

    @Override
    public synchronized @Nullable String pinned(String address) {
        String pin = values.get(PIN + address);
        return pin;
    }

    @Override
    public synchronized void pin(String address, String sha256) {
        log.info("host at {} of a pool is held to its certificate {} from now on", address, sha256);
        values.put(PIN + address, sha256);
        dirty = true;
        save();
    }

    @Override
    public void refused(String address, String sha256) {
        String reason =
                "the host at %s shows the certificate %s, which is not the one that it showed first; if it was replaced on purpose, remove the line %s%s from %s and start the engine again"
                        .formatted(address, sha256, PIN, address, file);
        if (!reason.equals(refusals.put(address, reason))) {
            log.warn("refused: {}", reason);
        }
    }

    @Override
    public void seen(String address, Instant notAfter) {
        refusals.remove(address);
        log.debug("the certificate of the host at {} is valid until {}", address, notAfter);
    }

    /** Hosts whose certificates are refused, each as a sentence, by address. */
    Map<String, String> refusals() {
        return Map.copyOf(refusals);
    }

    /** When the newest message of a pool that was told happened; null if none was. */
    synchronized @Nullable Instant toldUntil(ClusterId pool) {
        String text = values.get(MESSAGE + pool);
        try {
            return text == null ? null : Instant.parse(text);
        } catch (DateTimeException e) {
            log.warn("{} has no time in {}: {}", file, MESSAGE + pool, e.getMessage());
            return null;
        }
    }

    /** Messages of a pool until then are reported; durable with the next {@link #save}. */
    synchronized void told(ClusterId pool, Instant until) {
        Instant before = toldUntil(pool);
        if (before == null || until.isAfter(before)) {
            values.put(MESSAGE + pool, until.toString());
            dirty = true;
        }
    }

    /** Makes it durable; tried again with the next call if that fails. */
    synchronized void save() {
        if (!dirty) {
            return;
        }
        Properties all = new Properties();
        all.putAll(values);
        Path next = file.resolveSibling(file.getFileName() + ".new");
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            try (Writer writer = Files.newBufferedWriter(next)) {
                all.store(writer, null);
            }
            Files.move(
                    next,
                    file,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
            dirty = false;
        } catch (IOException e) {
            log.warn("{} could not be written: {}", file, e.toString());
        }
    }
}
