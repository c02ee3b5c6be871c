package org.stillwater.monitoring;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.host.Fleet;
import org.stillwater.monitoring.host.HostMonitor;

/**
 * The monitors of all hosts. Monitors are added between {@link #open} and {@link #close} only, and
 * begin to watch once {@link #connect} was called. Thread-safe; readers do not block.
 */
final class WatchedHosts implements Fleet {

    private final Map<HostId, HostMonitor> monitors = new ConcurrentHashMap<>();

    /** A host keeps its name. */
    private final Map<String, HostId> names = new ConcurrentHashMap<>();

    private volatile boolean threaded = true;
    private volatile boolean open; // written under this object's monitor
    private boolean connecting; // guarded by this

    /** Monitors are driven by {@link HostMonitor#pump} and have no threads of their own. */
    void withoutThreads() {
        threaded = false;
    }

    /** Whether monitors have threads of their own. */
    boolean isThreaded() {
        return threaded;
    }

    /** Monitors may be added. */
    synchronized void open() {
        open = true;
    }

    /** No further monitor is added. */
    synchronized void close() {
        open = false;
    }

    /** Whether monitors may be added. */
    boolean isOpen() {
        return open;
    }

    /**
     * Begins to watch.
     *
     * @return whether that was not done before
     */
    synchronized boolean connect() {
        if (!open || connecting) {
            return false;
        }
        connecting = true;
        if (threaded) {
            monitors.values().forEach(HostMonitor::start);
        }
        return true;
    }

    /**
     * Adds a monitor.
     *
     * @param maker creates it; its argument is whether it starts at once. Not called when monitors
     *     may not be added
     */
    synchronized void add(Function<Boolean, HostMonitor> maker) {
        if (!open) {
            return;
        }
        HostMonitor monitor = maker.apply(connecting);
        monitors.put(monitor.id(), monitor);
        names.put(monitor.state().definition().name(), monitor.id());
        if (threaded && connecting) {
            monitor.start();
        }
    }

    /** Starts a new monitor in place of one that ended. */
    synchronized void replaceEnded(Supplier<HostMonitor> maker) {
        if (open) {
            HostMonitor next = maker.get();
            monitors.put(next.id(), next);
            if (threaded) {
                next.start();
            }
        }
    }

    /** Replaces a monitor; false if the former was removed meanwhile. */
    boolean replace(HostMonitor former, HostMonitor next) {
        return monitors.replace(former.id(), former, next);
    }

    void remove(HostMonitor monitor) {
        if (monitors.remove(monitor.id(), monitor)) {
            names.remove(monitor.state().definition().name(), monitor.id());
        }
    }

    @Override
    public @Nullable HostMonitor monitor(HostId host) {
        return monitors.get(host);
    }

    @Override
    public @Nullable HostMonitor named(String name) {
        HostId id = names.get(name);
        return id == null ? null : monitors.get(id);
    }

    @Override
    public Collection<HostMonitor> all() {
        return monitors.values();
    }

    int size() {
        return monitors.size();
    }

    /** Known state of a host; null if there is no such host. */
    @Nullable HostState state(HostId id) {
        HostMonitor monitor = monitors.get(id);
        return monitor == null ? null : monitor.state();
    }

    /** How all hosts are reached. */
    Stream<HostDefinition> definitions() {
        return monitors.values().stream().map(monitor -> monitor.state().definition());
    }

    /** Number of hosts that are up. */
    double up() {
        return monitors.values().stream()
                .filter(monitor -> monitor.state().status() == HostStatus.UP)
                .count();
    }

    /** Number of hosts that are not reached because a certificate is refused. */
    double untrusted() {
        return monitors.values().stream()
                .filter(HostMonitor::isCertificateRefused)
                .filter(monitor -> monitor.state().status().isRefreshed())
                .count();
    }

    /**
     * Age of the oldest of the hosts' newest complete polls; NaN for none. That of a host with a
     * longer interval than the ordinary one is less by the difference.
     */
    double oldestReportSeconds() {
        double oldest = Double.NaN;
        for (HostMonitor monitor : monitors.values()) {
            double age = monitor.comparableAgeSeconds();
            if (!Double.isNaN(age) && !(age <= oldest)) {
                oldest = age;
            }
        }
        return oldest;
    }

    /** TPM and NVRAM data of VMs on their way from hosts to the database. */
    double externalDataOpen() {
        return monitors.values().stream().mapToInt(HostMonitor::externalDataOpen).sum();
    }
}
