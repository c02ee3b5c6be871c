package org.stillwater.ovirt.fleet;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiPredicate;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.store.StoreUnavailable;

/**
 * Fence agents of hosts as far as the API may show them: passwords and secret options are not kept
 * here. Read once by the thread that reads definitions, and notified of every change after that.
 * Thread-safe; bounded by the number of hosts that have agents.
 */
public final class PowerAgents {

    private final Map<HostId, List<FenceAgent>> known = new ConcurrentHashMap<>();
    private final Set<HostId> changed = ConcurrentHashMap.newKeySet();
    private final AtomicLong changes = new AtomicLong();
    private final BiPredicate<String, String> secret;
    private volatile boolean complete;

    /**
     * Begins without agents; {@code secret} decides by an agent's type which options are secret.
     */
    PowerAgents(BiPredicate<String, String> secret) {
        this.secret = secret;
    }

    /** Agents of a host in the order in which they are tried; none while they are not read yet. */
    public List<FenceAgent> of(HostId host) {
        return known.getOrDefault(host, List.of());
    }

    /** A host has these agents from now on. */
    public synchronized void replaced(HostId host, List<FenceAgent> agents) {
        if (!complete) {
            changed.add(host); // a running read may be older
        }
        keep(host, agents);
    }

    /** Grows with every change. */
    long changes() {
        return changes.get();
    }

    /** Reads all of them, unless that was done. */
    void read(DefinitionStore store) throws StoreUnavailable {
        if (complete) {
            return;
        }
        for (HostId host : store.hostsWithFenceAgents()) {
            readOne(host, store.fenceAgents(host));
        }
        finished();
    }

    private synchronized void readOne(HostId host, List<FenceAgent> agents) {
        if (!changed.contains(host)) {
            keep(host, agents);
        }
    }

    private synchronized void finished() {
        complete = true;
        changed.clear();
    }

    private void keep(HostId host, List<FenceAgent> agents) {
        if (agents.isEmpty()) {
            known.remove(host);
        } else {
            known.put(host, agents.stream().map(this::withoutSecrets).toList());
        }
        changes.incrementAndGet();
    }

    private FenceAgent withoutSecrets(FenceAgent agent) {
        Map<String, String> options = new TreeMap<>(agent.options());
        options.keySet().removeIf(option -> secret.test(agent.type(), option));
        return new FenceAgent(
                agent.type(), agent.address(), agent.port(), agent.user(), null, options);
    }
}
