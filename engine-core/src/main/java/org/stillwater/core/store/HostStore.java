package org.stillwater.core.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostCondition;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostHardware;
import org.stillwater.core.report.HostVersions;

/** Durable state of hosts, the work that follows from it, and their certificates. Thread-safe. */
public interface HostStore extends HostWorkStore, HostCertificateStore {

    /**
     * Adds a host. Its cluster exists.
     *
     * @return false, changing nothing, if its id or name is taken
     * @throws StoreUnavailable if the database cannot be written now
     */
    boolean add(HostDefinition host) throws StoreUnavailable;

    /**
     * Adds hosts in one transaction. Their clusters exist.
     *
     * @param hosts at most one of each identity, sorted by host
     * @return the outcome
     * @throws StoreUnavailable if the database cannot be written now; none was added then, or all
     *     were and the answer was lost: a second call finds them there
     */
    Additions addAll(List<HostDefinition> hosts) throws StoreUnavailable;

    /**
     * Outcome for hosts that were added together. Of a host that is in neither, the identity or the
     * name is taken.
     *
     * @param added hosts that exist now as given
     * @param refused why a host cannot be added for good
     */
    record Additions(Set<HostId> added, Map<HostId, String> refused) {

        public Additions {
            added = Set.copyOf(added);
            refused = Map.copyOf(refused);
        }
    }

    /**
     * Changes name, address, port and cluster of a host. The cluster exists.
     *
     * @return false if there is no such host
     * @throws StoreUnavailable if the database cannot be written now
     */
    boolean update(HostDefinition host) throws StoreUnavailable;

    /**
     * Every host.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    List<StoredHost> loadAll() throws StoreUnavailable;

    /**
     * Removes a host and its rows, unless by the saved state a VM runs on it or migrates to it.
     *
     * @throws StoreUnavailable if the database cannot be written now
     */
    Removal remove(HostId host) throws StoreUnavailable;

    /** Outcome of a removal. */
    enum Removal {
        /** The host is gone. */
        REMOVED,
        /** There was no such host. */
        UNKNOWN,
        /** A VM runs on it or migrates to it; no change was made. */
        IN_USE
    }

    /**
     * Writes the state of these hosts in one transaction: only where it differs, and with the work
     * that follows from it, unless it was queued before. Work of earlier episodes ends. Neither the
     * state nor the work of a refused host is written; work of a host that does not exist is not
     * queued.
     *
     * @param changes at most one per host, sorted by host, so that two writers never wait for each
     *     other's rows in a circle
     */
    WriteOutcome write(List<HostChange> changes);

    /**
     * A host as the database holds it.
     *
     * @param definition how to reach it
     * @param condition last decided condition
     * @param versions those that it reported last
     */
    record StoredHost(HostDefinition definition, HostCondition condition, HostVersions versions) {

        /** A host that has reported nothing. */
        public StoredHost(HostDefinition definition, HostCondition condition) {
            this(definition, condition, HostVersions.UNKNOWN);
        }
    }

    /**
     * Changes of one host that become durable together.
     *
     * @param id the row
     * @param condition decided condition
     * @param work work left to commands because of that
     * @param capabilities null to leave the stored ones
     * @param hardware null to leave the stored one
     */
    record HostChange(
            HostId id,
            HostCondition condition,
            List<OpenHostWork> work,
            @Nullable HostCapabilities capabilities,
            @Nullable HostHardware hardware) {

        public HostChange {
            work = List.copyOf(work);
            for (OpenHostWork open : work) {
                if (!open.work().host().equals(id)) {
                    throw new IllegalArgumentException("work of another host: " + open);
                }
            }
        }

        /** A change of the condition alone. */
        public static HostChange of(HostId id, HostCondition condition) {
            return new HostChange(id, condition, List.of(), null, null);
        }

        /** The same with this work and no other. */
        public HostChange withWork(List<OpenHostWork> queued) {
            return new HostChange(id, condition, queued, capabilities, hardware);
        }

        /**
         * This change and a newer one of the same host as one. One piece of work of each kind is
         * kept, so that it is bounded however long the database is away: the newest attempt of the
         * episode, of which the first stays; work of earlier episodes has ended.
         */
        public HostChange then(HostChange newer) {
            List<OpenHostWork> all = new ArrayList<>(work);
            newer.work.forEach(fresh -> queue(all, fresh));
            all.removeIf(open -> open.work().episode() < newer.condition.episode());
            return new HostChange(
                    id,
                    newer.condition,
                    all,
                    newer.capabilities != null ? newer.capabilities : capabilities,
                    newer.hardware != null ? newer.hardware : hardware);
        }

        private static void queue(List<OpenHostWork> all, OpenHostWork fresh) {
            all.removeIf(open -> open.work().isReplacedBy(fresh.work()));
            if (all.stream().noneMatch(open -> open.work().kind() == fresh.work().kind())) {
                all.add(fresh);
            }
        }
    }
}
