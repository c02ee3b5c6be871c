package org.stillwater.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostConnector;
import org.stillwater.core.connection.HostListener;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.core.time.EngineClock;

/** Opens scripted hosts and remembers them. Thread-safe. */
public final class ScriptedConnector implements HostConnector {

    private final EngineClock clock;
    private final Map<HostId, ScriptedHost> hosts = new ConcurrentHashMap<>();
    private final List<HostId> opened = new ArrayList<>();
    private volatile @Nullable LinkageError failure;

    /** No host yet. */
    public ScriptedConnector(EngineClock clock) {
        this.clock = clock;
    }

    /** From now on no connection is opened: opening throws this; null ends it. */
    public void fail(@Nullable LinkageError error) {
        failure = error;
    }

    @Override
    public HostConnection open(HostDefinition host, HostListener listener) {
        LinkageError error = failure;
        if (error != null) {
            throw error;
        }
        ScriptedHost scripted = new ScriptedHost(host, listener, clock);
        hosts.put(host.id(), scripted);
        synchronized (opened) {
            opened.add(host.id());
        }
        return scripted;
    }

    /**
     * The newest connection to this host.
     *
     * @throws NoSuchElementException if none was opened
     */
    public ScriptedHost host(HostId id) {
        ScriptedHost host = hosts.get(id);
        if (host == null) {
            throw new NoSuchElementException("no connection to " + id);
        }
        return host;
    }

    /** Hosts in the order in which connections were opened. */
    public List<HostId> opened() {
        synchronized (opened) {
            return List.copyOf(opened);
        }
    }
}
