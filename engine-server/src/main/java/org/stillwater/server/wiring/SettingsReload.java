package org.stillwater.server.wiring;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.logging.LogLevel;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.server.configuration.ConfigurationCheck;
import org.stillwater.server.configuration.Finding;
import org.stillwater.server.configuration.GivenSettings;
import org.stillwater.server.settings.FleetSettings;

/**
 * Reads the settings again while the engine runs, when the process gets the signal HUP ({@code
 * systemctl reload}): changeable settings take effect, others are named, and wrong settings change
 * nothing. Taken are levels of logs, and hosts of the settings and of the file of hosts: new ones
 * are added, others get their new address; none is removed. TLS files for hosts, pools and relays
 * are read, too. One reload at a time; any thread.
 */
final class SettingsReload {

    private static final Logger LOG = LoggerFactory.getLogger(SettingsReload.class);
    private static final String LEVEL = "logging.level.";

    /** Also the file of hosts. */
    private static final String HOSTS = "stillwater.hosts";

    private static final List<String> SUBJECTS =
            List.of("stillwater.", "spring.", "server.", "management.");

    private final Supplier<GivenSettings> reading;
    private final Map<String, String> running;
    private final Effects effects;
    private final ReentrantLock lock = new ReentrantLock();
    private Map<String, LogLevel> levels;

    /** Effects of a reload on the engine. */
    interface Effects {

        /** Sets the level of a logger; null for that of its parent. */
        void level(String logger, @Nullable LogLevel level);

        /** Sees to it that these hosts are watched. */
        void hosts(List<HostDefinition> hosts) throws StoreUnavailable;

        /**
         * Reads the TLS files for hosts, pools and relays; new connections use them.
         *
         * @return one line for the operator for each set of files
         * @throws IOException with one sentence for the operator when some cannot be used; those of
         *     before stay in use
         */
        List<String> tlsFiles() throws IOException;

        /** Records an audit event. */
        void audit(AuditEvent event, Map<String, String> details);
    }

    /**
     * A reload of an engine.
     *
     * @param reading reads the settings as a start would
     * @param running settings written at the engine's start, by name
     */
    SettingsReload(Supplier<GivenSettings> reading, Map<String, String> running, Effects effects) {
        this.reading = reading;
        this.running = Map.copyOf(running);
        this.levels = levels(running);
        this.effects = effects;
    }

    /** Reads and applies the settings; mistakes are logged and audited. */
    void reload() {
        lock.lock();
        try {
            GivenSettings next = reading.get();
            List<String> errors =
                    ConfigurationCheck.of(next, false).stream()
                            .filter(each -> each.severity() == Finding.Severity.ERROR)
                            .map(Finding::toString)
                            .toList();
            if (errors.isEmpty()) {
                take(next);
            } else {
                refuse(String.join("; ", errors));
            }
        } catch (StoreUnavailable | IOException | RuntimeException e) {
            refuse(String.valueOf(e.getMessage()));
        } finally {
            lock.unlock();
        }
    }

    private void refuse(String reason) {
        LOG.error("The settings were read again and are not taken: {}", reason);
        effects.audit(AuditEvent.SETTINGS_REFUSED, Map.of("message", reason));
    }

    private void take(GivenSettings next) throws StoreUnavailable, IOException {
        Map<String, String> written = next.written();
        Map<String, LogLevel> wanted = levels(written);
        List<HostDefinition> hosts = HostsFile.hosts(next.bind(FleetSettings.class));
        List<String> files = effects.tlsFiles(); // steps that can fail come first
        effects.hosts(hosts);
        List<String> changes = new ArrayList<>(takeLevels(wanted));
        changes.add(hosts.size() + " hosts of the settings are watched");
        TreeSet<String> names = new TreeSet<>(running.keySet());
        names.addAll(written.keySet());
        List<String> later =
                names.stream()
                        .filter(each -> SUBJECTS.stream().anyMatch(each::startsWith))
                        .filter(each -> !each.startsWith(HOSTS))
                        .filter(each -> !Objects.equals(running.get(each), written.get(each)))
                        .toList();
        if (!later.isEmpty()) {
            changes.add("only a restart changes " + String.join(", ", later));
        }
        changes.addAll(files);
        String text = String.join("; ", changes);
        LOG.info("The settings were read again: {}", text);
        effects.audit(AuditEvent.SETTINGS_RELOADED, Map.of("message", text));
    }

    private List<String> takeLevels(Map<String, LogLevel> next) {
        List<String> changes = new ArrayList<>();
        TreeSet<String> loggers = new TreeSet<>(levels.keySet());
        loggers.addAll(next.keySet());
        for (String each : loggers) {
            LogLevel level = next.get(each);
            if (level != levels.get(each)) {
                effects.level(each, level);
                changes.add(
                        "the log of "
                                + each
                                + " has the level "
                                + (level == null
                                        ? "of its parent"
                                        : level.name().toLowerCase(Locale.ROOT)));
            }
        }
        levels = Map.copyOf(next);
        return changes;
    }

    /** Levels of loggers among these settings. */
    private static Map<String, LogLevel> levels(Map<String, String> settings) {
        Map<String, LogLevel> levels = new TreeMap<>();
        settings.forEach((name, value) -> {
            if (name.startsWith(LEVEL) && !value.isBlank()) {
                // YAML takes an unquoted off for a truth value, as Spring Boot does.
                String word = value.equalsIgnoreCase("false") ? "OFF" : value.strip();
                levels.put(
                        name.substring(LEVEL.length()),
                        LogLevel.valueOf(word.toUpperCase(Locale.ROOT)));
            }
        });
        return levels;
    }

    /**
     * Reloads at each signal HUP, on a thread of its own. The class for signals belongs to the JDK
     * but not to its API: without it, the signal ends the process as before.
     */
    @SuppressWarnings("ReferenceEquality") // of the proxy, which has no other identity
    void onHangUp() {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            InvocationHandler heard =
                    (proxy, method, arguments) ->
                            switch (method.getName()) {
                                case "handle" -> {
                                    var _ = Thread.ofVirtual().name("reload").start(this::reload);
                                    yield null;
                                }
                                case "hashCode" -> System.identityHashCode(proxy);
                                case "equals" -> proxy == arguments[0];
                                default -> "reload at HUP";
                            };
            Object listener =
                    Proxy.newProxyInstance(
                            SettingsReload.class.getClassLoader(), new Class<?>[] {handler}, heard);
            Object _ =
                    signal.getMethod("handle", signal, handler)
                            .invoke(
                                    null,
                                    signal.getConstructor(String.class).newInstance("HUP"),
                                    listener);
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            LOG.warn("The signal HUP does not read the settings again: {}", e.toString());
        }
    }
}
