package org.stillwater.core.port;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.HostDefinition;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.HostStatus;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostHardware;

/** Durable state of hosts. Thread-safe. */
public interface HostStore {

    /**
     * Adds a host.
     *
     * @return false, changing nothing, if its id or name is taken
     * @throws StoreUnavailable if the database cannot be written now
     */
    boolean add(HostDefinition host) throws StoreUnavailable;

    /**
     * Changes name, address and port of a host.
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
     * Removes a host and all that hangs on it, unless a VM runs on it or migrates to it by what is
     * saved.
     *
     * @throws StoreUnavailable if the database cannot be written now
     */
    Removal remove(HostId host) throws StoreUnavailable;

    /** What became of a removal. */
    enum Removal {
        /** The host is gone. */
        REMOVED,
        /** There was no such host. */
        UNKNOWN,
        /** A VM runs on it or migrates to it; nothing was changed. */
        IN_USE
    }

    /** Writes the state of these hosts, only where it differs. */
    WriteOutcome write(List<HostChange> changes);

    /**
     * A host as the database holds it.
     *
     * @param definition how to reach it
     * @param status last saved status
     */
    record StoredHost(HostDefinition definition, HostStatus status) {}

    /**
     * State of one host to be written.
     *
     * @param id the row
     * @param status its status
     * @param capabilities null to leave the stored ones
     * @param hardware null to leave the stored one
     */
    record HostChange(
            HostId id,
            HostStatus status,
            @Nullable HostCapabilities capabilities,
            @Nullable HostHardware hardware) {}
}
