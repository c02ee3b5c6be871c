package org.stillwater.relay.agent;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.core.trust.CertificateFingerprint;
import org.stillwater.relay.wire.StreamLimits;

/**
 * The configuration of a relay, from a file of properties. An unknown name is refused.
 *
 * @param name the relay's name, which is the common name of its certificate
 * @param engine address at which the engine listens for relays
 * @param engineTls TLS files for the stream to the engine; null without TLS, for tests on one
 *     machine
 * @param hostTls TLS files for connections to hosts; null without TLS
 * @param interval how often hosts are polled
 * @param deadbands changes too small to be sent
 * @param bounds limits of memory
 * @param healthPort port of the health page on loopback; 0 for none
 * @param hosts the hosts
 */
record RelaySettings(
        String name,
        Address engine,
        @Nullable TlsFiles engineTls,
        @Nullable TlsFiles hostTls,
        Duration interval,
        Deadbands deadbands,
        Bounds bounds,
        int healthPort,
        List<Host> hosts) {

    /** A host name or IP address, and a TCP port. */
    record Address(String host, int port) {

        static Address parse(String text, int otherwise) {
            int colon = text.lastIndexOf(':');
            boolean hasPort = colon >= 0 && text.indexOf(']', colon) < 0;
            if (hasPort && text.indexOf(':') != colon && !text.startsWith("[")) {
                hasPort = false; // an IPv6 address without brackets
            }
            String host = hasPort ? text.substring(0, colon) : text;
            if (host.startsWith("[") && host.endsWith("]")) {
                host = host.substring(1, host.length() - 1);
            }
            int port = hasPort ? port(text.substring(colon + 1)) : otherwise;
            if (host.isBlank() || port < 1 || port > 65_535) {
                throw new IllegalArgumentException("not an address with a port: " + text);
            }
            return new Address(host, port);
        }

        /** 0, which is no port, for any other text. */
        private static int port(String text) {
            try {
                return Integer.parseInt(text);
            } catch (NumberFormatException _) {
                return 0;
            }
        }
    }

    /**
     * PEM files of one side.
     *
     * @param key private key, PKCS#8, not encrypted
     * @param certificate certificate, followed by intermediate ones if any
     * @param authorities authorities that the other side is checked against
     */
    record TlsFiles(Path key, Path certificate, Path authorities) {}

    /**
     * Changes too small to be sent.
     *
     * @param cpuPercent of processor time, % of one core
     * @param memoryKibibytes of memory in the guest
     * @param bytesPerSecond of the rates of disks
     * @param latencyNanos of the latencies of disks
     */
    record Deadbands(
            double cpuPercent, double memoryKibibytes, double bytesPerSecond, double latencyNanos) {
        static final Deadbands DEFAULT = new Deadbands(0.1, 256, 1_024, 10_000);

        Deadbands {
            if (!(cpuPercent >= 0)
                    || !(memoryKibibytes >= 0)
                    || !(bytesPerSecond >= 0)
                    || !(latencyNanos >= 0)) {
                throw new IllegalArgumentException("a deadband is 0 or more");
            }
        }
    }

    /**
     * Limits of memory.
     *
     * @param events waiting events of one host
     * @param marks marks of removed records and cells of one host
     * @param calls calls of the engine under way for one host, and eight times as many for all
     *     hosts together; 0 if the relay takes none
     * @param callKibibytes largest parameters, and largest answer, of a call
     */
    record Bounds(int events, int marks, int calls, int callKibibytes) {
        static final Bounds DEFAULT = new Bounds(1_000, 4_096, 8, 512);

        Bounds {
            if (events < 1 || marks < 1) {
                throw new IllegalArgumentException("a bound is 1 or more");
            }
            if (calls < 0 || calls > 1_000) {
                throw new IllegalArgumentException("bounds.calls is 0 to 1000");
            }
            if (callKibibytes < 1 || callKibibytes > MOST_CALL_KIBIBYTES) {
                throw new IllegalArgumentException(
                        "bounds.call-kib is 1 to " + MOST_CALL_KIBIBYTES);
            }
        }

        int callBytes() {
            return callKibibytes << 10;
        }
    }

    /** Below the largest message of the stream. */
    private static final int MOST_CALL_KIBIBYTES = 32 << 10;

    /**
     * A host, and the certificate that it must show; null for a certificate with the host's
     * address.
     */
    record Host(HostDefinition definition, @Nullable CertificateFingerprint certificate) {}

    private static final int DEFAULT_ENGINE_PORT = 54_331;
    private static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(15);
    private static final String HOST = "host.";

    RelaySettings {
        hosts = List.copyOf(hosts);
        if (name.isBlank() || name.length() > 64) {
            throw new IllegalArgumentException("relay.name has 1 to 64 characters");
        }
        if (interval.compareTo(Duration.ofSeconds(1)) < 0
                || interval.compareTo(Duration.ofMinutes(2)) > 0) {
            throw new IllegalArgumentException("relay.interval is 1s to 120s");
        }
        if (hosts.isEmpty() || hosts.size() > StreamLimits.MOST_HOSTS) {
            throw new IllegalArgumentException(
                    "a relay watches 1 to "
                            + StreamLimits.MOST_HOSTS
                            + " hosts: host.UUID = address:port");
        }
        if (healthPort < 0 || healthPort > 65_535) {
            throw new IllegalArgumentException("health.port is 0 to 65535");
        }
    }

    /**
     * Reads a file.
     *
     * @throws IOException if it does not exist @throws IllegalArgumentException if it is invalid;
     *     the message has the reason
     */
    static RelaySettings read(Path file) throws IOException {
        Properties properties = new UniqueProperties();
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            properties.load(reader);
        } catch (CharacterCodingException wrong) {
            throw new IllegalArgumentException(file + " is no text in UTF-8", wrong);
        }
        Path folder = file.toAbsolutePath().getParent();
        return new Reading(properties, folder == null ? file : folder).settings();
    }

    /** Refuses a name that occurs twice: one of its values would be lost. */
    private static final class UniqueProperties extends Properties {
        private static final long serialVersionUID = 1;

        @Override
        public synchronized @Nullable Object put(Object key, Object value) {
            if (containsKey(key)) {
                throw new IllegalArgumentException(key + " is set twice");
            }
            return super.put(key, value);
        }
    }

    /** One pass over a file; properties that no method has read at its end are unknown. */
    private static final class Reading {
        private final Properties properties;
        private final Path folder;

        Reading(Properties properties, Path folder) {
            this.properties = properties;
            this.folder = folder;
        }

        RelaySettings settings() {
            String engine = take("relay.engine");
            if (engine == null) {
                throw new IllegalArgumentException("relay.engine names no engine: host:port");
            }
            String name = take("relay.name");
            if (name == null) {
                throw new IllegalArgumentException("relay.name is missing");
            }
            RelaySettings settings =
                    new RelaySettings(
                            name,
                            Address.parse(engine, DEFAULT_ENGINE_PORT),
                            files("engine.tls"),
                            files("hosts.tls"),
                            duration("relay.interval", DEFAULT_INTERVAL),
                            new Deadbands(
                                    decimal("deadband.cpu-percent", Deadbands.DEFAULT.cpuPercent()),
                                    decimal(
                                            "deadband.memory-kib",
                                            Deadbands.DEFAULT.memoryKibibytes()),
                                    decimal(
                                            "deadband.bytes-per-second",
                                            Deadbands.DEFAULT.bytesPerSecond()),
                                    decimal(
                                            "deadband.latency-nanos",
                                            Deadbands.DEFAULT.latencyNanos())),
                            new Bounds(
                                    whole("bounds.events", Bounds.DEFAULT.events()),
                                    whole("bounds.marks", Bounds.DEFAULT.marks()),
                                    whole("bounds.calls", Bounds.DEFAULT.calls()),
                                    whole("bounds.call-kib", Bounds.DEFAULT.callKibibytes())),
                            whole("health.port", 0),
                            hosts());
            if (!properties.isEmpty()) {
                throw new IllegalArgumentException(
                        "unknown settings: "
                                + String.join(
                                        ", ", new TreeSet<>(properties.stringPropertyNames())));
            }
            return settings;
        }

        private @Nullable String take(String key) {
            Object value = properties.remove(key);
            return value == null ? null : value.toString().strip();
        }

        private int whole(String key, int otherwise) {
            String text = take(key);
            try {
                return text == null ? otherwise : Integer.parseInt(text);
            } catch (NumberFormatException _) {
                throw new IllegalArgumentException(key + " is no whole number: " + text);
            }
        }

        private double decimal(String key, double otherwise) {
            String text = take(key);
            try {
                return text == null ? otherwise : Double.parseDouble(text);
            } catch (NumberFormatException _) {
                throw new IllegalArgumentException(key + " is no number: " + text);
            }
        }

        private Duration duration(String key, Duration otherwise) {
            String text = take(key);
            if (text == null) {
                return otherwise;
            }
            try {
                return Duration.parse("PT" + text.toUpperCase(Locale.ROOT));
            } catch (DateTimeParseException _) {
                throw new IllegalArgumentException(key + " is no duration such as 15s: " + text);
            }
        }

        private @Nullable TlsFiles files(String prefix) {
            String key = take(prefix + ".key");
            String certificate = take(prefix + ".certificate");
            String authorities = take(prefix + ".authorities");
            String off = take(prefix + ".off");
            if ("true".equals(off) && key == null && certificate == null && authorities == null) {
                return null;
            }
            if (off != null && !off.equals("false")) {
                throw new IllegalArgumentException(
                        prefix + ".off is true without files, or false: " + off);
            }
            if (key == null || certificate == null || authorities == null) {
                throw new IllegalArgumentException(
                        prefix
                                + ".key, .certificate and .authorities name PEM files; "
                                + prefix
                                + ".off = true does without encryption, for laboratories");
            }
            return new TlsFiles(
                    folder.resolve(key), folder.resolve(certificate), folder.resolve(authorities));
        }

        private List<Host> hosts() {
            List<Host> hosts = new ArrayList<>();
            Set<HostId> known = new HashSet<>();
            for (String key : new TreeSet<>(properties.stringPropertyNames())) {
                if (!key.startsWith(HOST) || key.indexOf('.', HOST.length()) >= 0) {
                    continue;
                }
                Host host;
                try {
                    host = host(key);
                } catch (IllegalArgumentException wrong) {
                    throw new IllegalArgumentException(key + ": " + wrong.getMessage(), wrong);
                }
                if (!known.add(host.definition().id())) {
                    throw new IllegalArgumentException(key + " is set twice");
                }
                hosts.add(host);
            }
            return hosts;
        }

        private Host host(String key) {
            HostId id = HostId.parse(key.substring(HOST.length()));
            String text = take(key);
            Address address = Address.parse(text == null ? "" : text, HostDefinition.DEFAULT_PORT);
            String name = take(key + ".name");
            String certificate = take(key + ".certificate");
            return new Host(
                    new HostDefinition(
                            id,
                            name == null ? address.host() : name,
                            address.host(),
                            address.port()),
                    certificate == null ? null : CertificateFingerprint.parse(certificate));
        }
    }
}
