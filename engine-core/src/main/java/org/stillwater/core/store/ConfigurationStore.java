package org.stillwater.core.store;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;

/**
 * Earlier and present definitions of VMs and hosts. The stores of the definitions write each
 * version in the transaction of the change; this store only reads them.
 *
 * <p>A version that is still valid has no end. Versions of one subject follow each other: each
 * begins when the one before ends. They outlive their VMs and hosts.
 */
public interface ConfigurationStore {

    /**
     * Versions of one VM, newest first.
     *
     * @param before only versions with a smaller number
     * @param limit how many at most
     * @throws StoreUnavailable if the database cannot be read now
     */
    List<VmConfiguration> ofVm(VmId vm, int before, int limit) throws StoreUnavailable;

    /**
     * Versions of one host, newest first.
     *
     * @param before only versions with a smaller number
     * @param limit how many at most
     * @throws StoreUnavailable if the database cannot be read now
     */
    List<HostConfiguration> ofHost(HostId host, int before, int limit) throws StoreUnavailable;

    /**
     * Definition of one VM during an interval.
     *
     * @param version counts from 1
     * @param validFrom when it was defined so
     * @param validUntil when it was changed or removed, null while it is so
     * @param name its name
     * @param origin where the definition comes from
     * @param cluster its cluster
     * @param highlyAvailable whether it is started again when it fails
     * @param memoryMebibytes memory
     * @param guaranteedMemoryMebibytes memory that it always has
     * @param sockets CPU sockets
     * @param coresPerSocket cores of each
     * @param threadsPerCore threads of each
     * @param priority which VMs are started again first
     * @param leaseStorageDomain where it has a lease, null for none
     * @param cpuPinning which virtual CPU runs where, null for anywhere
     */
    record VmConfiguration(
            int version,
            Instant validFrom,
            @Nullable Instant validUntil,
            String name,
            VmOrigin origin,
            ClusterId cluster,
            boolean highlyAvailable,
            int memoryMebibytes,
            int guaranteedMemoryMebibytes,
            int sockets,
            int coresPerSocket,
            int threadsPerCore,
            int priority,
            @Nullable UUID leaseStorageDomain,
            @Nullable String cpuPinning) {}

    /**
     * Definition of one host during an interval.
     *
     * @param version counts from 1
     * @param validFrom when it was defined so
     * @param validUntil when it was changed or removed, null while it is so
     * @param name its name
     * @param address of its management interface
     * @param port of its agent
     * @param cluster its cluster
     */
    record HostConfiguration(
            int version,
            Instant validFrom,
            @Nullable Instant validUntil,
            String name,
            String address,
            int port,
            ClusterId cluster) {}
}
