package org.stillwater.testkit.memory;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostCondition;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostVersions;
import org.stillwater.core.store.HostStore;
import org.stillwater.core.store.OpenHostWork;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.trust.CertificateBinding;

/**
 * Hosts and their work in memory, with the semantics of the database. Counts calls and rows; can be
 * made unavailable, to lose an answer, and to refuse rows. Thread-safe.
 */
public final class InMemoryHostStore implements HostStore {

    private record Row(OpenHostWork work, @Nullable UUID owner) {}

    private final Map<HostId, StoredHost> hosts = new LinkedHashMap<>();
    private final Map<HostId, HostChange> changes = new LinkedHashMap<>();
    private final InMemoryVmStore vms;
    private final Map<HostWork.Key, Row> work = new LinkedHashMap<>();
    private final Map<HostId, String> refusals = new HashMap<>();
    private final Map<HostId, CertificateBinding> certificates = new HashMap<>();
    private boolean answerLost;
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

    /** From now on rows of this host are refused; null ends it. */
    public synchronized void refuse(HostId host, @Nullable String reason) {
        if (reason == null) {
            refusals.remove(host);
        } else {
            refusals.put(host, reason);
        }
    }

    /**
     * The next write is committed, but the connection breaks before the answer: the caller learns
     * that the database was unavailable.
     */
    public synchronized void loseNextAnswer() {
        answerLost = true;
    }

    /** Inserts a host without counting it. */
    public synchronized void put(HostDefinition host, HostStatus status) {
        put(host, HostCondition.of(status));
    }

    /** Inserts a host without counting it. */
    public synchronized void put(HostDefinition host, HostCondition condition) {
        hosts.put(host.id(), new StoredHost(host, condition));
    }

    /** Condition as stored, or null. */
    public synchronized @Nullable HostCondition condition(HostId id) {
        StoredHost host = hosts.get(id);
        return host == null ? null : host.condition();
    }

    /** Whether a host, or a VM beside it, belongs to a cluster. */
    public synchronized boolean refersTo(ClusterId cluster) {
        return vms.refersTo(cluster)
                || hosts.values().stream()
                        .anyMatch(host -> host.definition().cluster().equals(cluster));
    }

    /** Work that is open, oldest first. */
    public synchronized List<OpenHostWork> openWork() {
        return work.values().stream()
                .filter(row -> row.owner() == null)
                .map(Row::work)
                .sorted(OpenHostWork.OLDEST_FIRST)
                .toList();
    }

    /** Status as stored, or null. */
    public synchronized @Nullable HostStatus status(HostId id) {
        HostCondition condition = condition(id);
        return condition == null ? null : condition.status();
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
        if (!isNew(host)) {
            return false;
        }
        hosts.put(host.id(), new StoredHost(host, HostCondition.NEW));
        rows++;
        return true;
    }

    @Override
    public synchronized Additions addAll(List<HostDefinition> wanted) throws StoreUnavailable {
        Set<HostId> added = new HashSet<>();
        Map<HostId, String> refused = new HashMap<>();
        reach();
        for (int i = 1; i < wanted.size(); i++) {
            if (wanted.get(i - 1).id().compareTo(wanted.get(i).id()) >= 0) {
                throw new IllegalArgumentException("hosts are not sorted");
            }
        }
        for (HostDefinition host : wanted) {
            StoredHost there = hosts.get(host.id());
            String refusal = refusals.get(host.id());
            if (refusal != null) {
                refused.put(host.id(), refusal);
            } else if (there == null ? isNew(host) : there.definition().equals(host)) {
                rows += there == null ? 1 : 0;
                hosts.putIfAbsent(host.id(), new StoredHost(host, HostCondition.NEW));
                added.add(host.id());
            }
        }
        if (answerLost) {
            answerLost = false;
            throw new StoreUnavailable("the answer was lost", new IllegalStateException("lost"));
        }
        return new Additions(added, refused);
    }

    private boolean isNew(HostDefinition host) {
        return hosts.values().stream()
                .map(StoredHost::definition)
                .noneMatch(
                        other -> other.id().equals(host.id()) || other.name().equals(host.name()));
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
        hosts.put(host.id(), new StoredHost(host, stored.condition(), stored.versions()));
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
        certificates.remove(host);
        work.keySet().removeIf(key -> key.host().equals(host));
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
        requireSorted(batch);
        int touched = 0;
        List<WriteOutcome.Rejected> rejected = new ArrayList<>();
        List<OpenHostWork> open = new ArrayList<>();
        for (HostChange change : batch) {
            String refusal = refusals.get(change.id());
            StoredHost stored = hosts.get(change.id());
            if (refusal != null) {
                rejected.add(new WriteOutcome.Rejected(change.id().toString(), refusal));
            } else if (stored != null) {
                touched += write(change, stored) + queue(change, open);
            }
        }
        rows += touched;
        if (answerLost) {
            answerLost = false;
            return new WriteOutcome.Unavailable("the answer was lost");
        }
        return new WriteOutcome.Written(touched, rejected, List.of(), open);
    }

    private int write(HostChange change, StoredHost stored) {
        HostChange known = changes.get(change.id());
        HostChange next = known == null ? change.withWork(List.of()) : completed(change, known);
        changes.put(change.id(), next);
        HostCapabilities capabilities = change.capabilities();
        HostVersions versions =
                capabilities == null ? stored.versions() : HostVersions.of(capabilities);
        hosts.put(change.id(), new StoredHost(stored.definition(), change.condition(), versions));
        boolean same =
                stored.condition().equals(change.condition())
                        && (Objects.equals(known, next)
                                || (next.capabilities() == null && next.hardware() == null));
        return same ? 0 : 1;
    }

    private int queue(HostChange change, List<OpenHostWork> open) {
        work.keySet()
                .removeIf(key ->
                        key.host().equals(change.id())
                                && key.episode() < change.condition().episode());
        int fresh = 0;
        for (OpenHostWork next : change.work()) {
            work.values().removeIf(row -> row.work().work().isReplacedBy(next.work()));
            Row row = work.get(next.work().key());
            if (row == null) {
                fresh++;
                row =
                        new Row(
                                new OpenHostWork(
                                        next.work(), next.since().truncatedTo(ChronoUnit.MICROS)),
                                null);
                work.put(next.work().key(), row);
            }
            if (row.owner() == null && !open.contains(row.work())) {
                open.add(row.work());
            }
        }
        return fresh;
    }

    private static void requireSorted(List<HostChange> batch) {
        for (int i = 1; i < batch.size(); i++) {
            if (batch.get(i - 1).id().compareTo(batch.get(i).id()) >= 0) {
                throw new IllegalArgumentException("rows are not sorted by host, or named twice");
            }
        }
    }

    /** Null leaves the stored value. */
    private static HostChange completed(HostChange change, HostChange known) {
        return new HostChange(
                change.id(),
                change.condition(),
                List.of(),
                change.capabilities() == null ? known.capabilities() : change.capabilities(),
                change.hardware() == null ? known.hardware() : change.hardware());
    }

    @Override
    public synchronized void loadHostWork(Consumer<OpenHostWork> receiver) throws StoreUnavailable {
        reach();
        openWork().forEach(receiver);
    }

    @Override
    public synchronized boolean takeOverHost(HostWork taken, UUID owner, Instant at)
            throws StoreUnavailable {
        reach();
        Row row = work.get(taken.key());
        if (row == null || (row.owner() != null && !row.owner().equals(owner))) {
            return false;
        }
        work.put(taken.key(), new Row(row.work(), owner));
        return true;
    }

    @Override
    public synchronized Map<HostId, CertificateBinding> loadCertificates() throws StoreUnavailable {
        reach();
        return Map.copyOf(certificates);
    }

    @Override
    public synchronized WriteOutcome saveCertificates(List<BoundHost> bindings) {
        calls++;
        if (unavailable != null) {
            return new WriteOutcome.Unavailable(unavailable);
        }
        int touched = 0;
        for (BoundHost bound : bindings) {
            if (hosts.containsKey(bound.host())) {
                CertificateBinding before = certificates.put(bound.host(), bound.binding());
                touched += bound.binding().equals(before) ? 0 : 1;
            }
        }
        rows += touched;
        return new WriteOutcome.Written(touched, List.of());
    }

    /** Inserts a binding without counting it. */
    public synchronized void put(HostId host, CertificateBinding binding) {
        certificates.put(host, binding);
    }

    /** The binding as stored, or null. */
    public synchronized @Nullable CertificateBinding certificate(HostId host) {
        return certificates.get(host);
    }

    private void reach() throws StoreUnavailable {
        calls++;
        if (unavailable != null) {
            throw new StoreUnavailable(unavailable, new IllegalStateException(unavailable));
        }
    }
}
