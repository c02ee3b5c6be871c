package org.stillwater.testkit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.HostDefinition;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.HostStatus;
import org.stillwater.core.port.HostStore;
import org.stillwater.core.port.StoreUnavailable;
import org.stillwater.core.port.WriteOutcome;

/** Hosts in memory, with the semantics of the database. Counts calls and rows. Thread-safe. */
public final class InMemoryHostStore implements HostStore {

    private final Map<HostId, StoredHost> hosts = new LinkedHashMap<>();
    private final Map<HostId, HostChange> changes = new LinkedHashMap<>();
    private final InMemoryVmStore vms;
    private @Nullable String unavailable;
    private int calls;
    private int rows;

    /** An empty store, beside a store of VMs that may be on its hosts. */
    public InMemoryHostStore(InMemoryVmStore vms) {
        this.vms = vms;
    }

    /** An empty store of hosts that no VM is ever on. */
    public InMemoryHostStore() {
        this(new InMemoryVmStore());
    }

    /** From now on every call finds the database unavailable; null ends it. */
    public synchronized void unavailable(@Nullable String reason) {
        unavailable = reason;
    }

    /** Puts a host in place without counting it. */
    public synchronized void put(HostDefinition host, HostStatus status) {
        hosts.put(host.id(), new StoredHost(host, status));
    }

    /** Status as stored, or null. */
    public synchronized @Nullable HostStatus status(HostId id) {
        StoredHost host = hosts.get(id);
        return host == null ? null : host.status();
    }

    /** Calls made so far, reads included. */
    public synchronized int calls() {
        return calls;
    }

    /** Rows touched so far. */
    public synchronized int rows() {
        return rows;
    }

    @Override
    public synchronized boolean add(HostDefinition host) throws StoreUnavailable {
        reach();
        boolean taken =
                hosts.values().stream()
                        .anyMatch(other ->
                                other.definition().id().equals(host.id())
                                        || other.definition().name().equals(host.name()));
        if (taken) {
            return false;
        }
        hosts.put(host.id(), new StoredHost(host, HostStatus.UNASSIGNED));
        rows++;
        return true;
    }

    @Override
    public synchronized boolean update(HostDefinition host) throws StoreUnavailable {
        reach();
        StoredHost stored = hosts.get(host.id());
        if (stored == null) {
            return false;
        }
        boolean taken =
                hosts.values().stream()
                        .anyMatch(other ->
                                other.definition().name().equals(host.name())
                                        && !other.definition().id().equals(host.id()));
        if (taken) {
            throw new IllegalArgumentException("another host has the name " + host.name());
        }
        hosts.put(host.id(), new StoredHost(host, stored.status()));
        rows++;
        return true;
    }

    @Override
    public synchronized Removal remove(HostId host) throws StoreUnavailable {
        reach();
        if (!hosts.containsKey(host)) {
            return Removal.UNKNOWN;
        }
        if (vms.refersTo(host)) {
            return Removal.IN_USE;
        }
        hosts.remove(host);
        changes.remove(host);
        rows++;
        return Removal.REMOVED;
    }

    @Override
    public synchronized List<StoredHost> loadAll() throws StoreUnavailable {
        reach();
        return new ArrayList<>(hosts.values());
    }

    @Override
    public synchronized WriteOutcome write(List<HostChange> batch) {
        calls++;
        if (unavailable != null) {
            return new WriteOutcome.Unavailable(unavailable);
        }
        int touched = 0;
        for (HostChange change : batch) {
            StoredHost stored = hosts.get(change.id());
            if (stored != null) {
                HostChange known = changes.get(change.id());
                HostChange next = known == null ? change : completed(change, known);
                changes.put(change.id(), next);
                if (stored.status() != change.status() || !Objects.equals(known, next)) {
                    touched++;
                }
                hosts.put(change.id(), new StoredHost(stored.definition(), change.status()));
            }
        }
        rows += touched;
        return new WriteOutcome.Written(touched, List.of());
    }

    /** Null leaves what is stored. */
    private static HostChange completed(HostChange change, HostChange known) {
        return new HostChange(
                change.id(),
                change.status(),
                change.capabilities() == null ? known.capabilities() : change.capabilities(),
                change.hardware() == null ? known.hardware() : change.hardware());
    }

    private void reach() throws StoreUnavailable {
        calls++;
        if (unavailable != null) {
            throw new StoreUnavailable(unavailable, new IllegalStateException(unavailable));
        }
    }
}
