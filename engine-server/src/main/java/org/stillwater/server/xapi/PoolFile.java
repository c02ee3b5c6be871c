package org.stillwater.server.xapi;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.time.EngineClock;
import org.stillwater.server.DurableFiles;
import org.stillwater.xapi.client.CertificatePins;

/**
 * The engine's memory of pools beyond its database: the first certificates of their hosts, and the
 * newest message of each pool that became an event. One file in the data folder, replaced as a
 * whole. Thread-safe.
 */
final class PoolFile implements CertificatePins {

    private static final Logger log = LoggerFactory.getLogger(PoolFile.class);

    /** Time before a certificate's expiry at which a warning is raised. */
    static final Duration WARNED_BEFORE = Duration.ofDays(30);

    private static final String PIN = "certificate.";
    private static final String MESSAGE = "message.";

    /** Takes events for people. */
    @FunctionalInterface
    interface Audit {
        void record(AuditEvent event, String message);
    }

    private final Path file;
    private final Map<String, String> values = new TreeMap<>();

    /** The time of each pool's newest message from before the start. */
    private final Map<String, Instant> toldBefore = new HashMap<>();

    /** Why hosts were refused, by address; until they show the pinned certificate again. */
    private final Map<String, String> refusals = new ConcurrentHashMap<>();

    /** The fingerprints of the refused certificates, by address. */
    private final Map<String, String> refusedPins = new ConcurrentHashMap<>();

    /** For which end of its certificate people were warned, by address. */
    private final Map<String, Instant> warned = new ConcurrentHashMap<>();

    private final EngineClock clock;
    private final Audit audit;

    private boolean dirty;

    /**
     * Reads the file.
     *
     * @param audit takes events about certificates
     * @throws UncheckedIOException if it cannot be read: pins must not be forgotten
     */
    PoolFile(Path file, EngineClock clock, Audit audit) {
        this.file = file;
        this.clock = clock;
        this.audit = audit;
        Properties read = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            read.load(reader);
        } catch (NoSuchFileException _) {
            // The first start.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        read.stringPropertyNames().forEach(name -> values.put(name, read.getProperty(name)));
        values.keySet().stream()
                .filter(name -> name.startsWith(MESSAGE))
                .forEach(name -> toldBefore.computeIfAbsent(name, this::time));
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
        refusedPins.put(address, sha256);
        if (!reason.equals(refusals.put(address, reason))) {
            log.warn("refused: {}", reason);
            audit.record(AuditEvent.EXTERNAL_ALERT, sentence(reason));
        }
    }

    /** A person has confirmed the certificate of a host, also in place of its first one. */
    synchronized void confirm(String address, String sha256) {
        if (!sha256.equals(values.put(PIN + address, sha256))) {
            log.info("host at {} of a pool is held to its confirmed certificate", address);
            dirty = true;
            save();
        }
        refusals.remove(address);
        refusedPins.remove(address);
    }

    /** A person has confirmed these certificates, wherever they were refused. */
    void confirmRefused(Set<String> sha256) {
        for (Map.Entry<String, String> each : Map.copyOf(refusedPins).entrySet()) {
            if (sha256.contains(each.getValue())) {
                confirm(each.getKey(), each.getValue());
            }
        }
    }

    /** A pool was removed: its hosts show their first certificates again when it is added. */
    synchronized void forget(ClusterId pool, Collection<String> addresses) {
        for (String address : addresses) {
            dirty |= values.remove(PIN + address) != null;
            refusals.remove(address);
            refusedPins.remove(address);
            warned.remove(address);
        }
        dirty |= values.remove(MESSAGE + pool) != null;
        toldBefore.remove(MESSAGE + pool);
        save();
    }

    private static String sentence(String clause) {
        return "A host of a pool is refused: " + clause;
    }

    @Override
    public void seen(String address, Instant notAfter) {
        refusals.remove(address);
        refusedPins.remove(address);
        boolean endsSoon = clock.now().isAfter(notAfter.minus(WARNED_BEFORE));
        if (endsSoon && !notAfter.equals(warned.put(address, notAfter))) {
            String message =
                    "The certificate of the host at %s of a pool is valid until %s"
                            .formatted(address, notAfter);
            log.warn(message);
            audit.record(AuditEvent.EXTERNAL_EVENT_WARNING, message);
        }
    }

    /** Hosts with refused certificates, each as a sentence, by address. */
    Map<String, String> refusals() {
        return Map.copyOf(refusals);
    }

    /**
     * A pool has this message; durable with the next {@link #save}.
     *
     * @param old whether the pool had it when it was read for the first time since the start
     * @return whether it is news: one that came while the engine did not run is news as well. The
     *     messages of a pool come in any order, so the newest one from before the start decides
     */
    synchronized boolean told(ClusterId pool, @Nullable Instant at, boolean old) {
        Instant before = toldBefore.get(MESSAGE + pool);
        boolean isNews = !old || (before != null && at != null && at.isAfter(before));
        Instant newest = time(MESSAGE + pool);
        if (at != null && (newest == null || at.isAfter(newest))) {
            values.put(MESSAGE + pool, at.toString());
            dirty = true;
        }
        return isNews;
    }

    /** The time under a name; null if there is none. */
    private @Nullable Instant time(String name) {
        String text = values.get(name);
        try {
            return text == null ? null : Instant.parse(text);
        } catch (DateTimeException e) {
            log.warn("{} has no time in {}: {}", file, name, e.getMessage());
            return null;
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
            DurableFiles.replace(next, file);
            dirty = false;
        } catch (IOException e) {
            log.warn("{} could not be written: {}", file, e.toString());
        }
    }
}
