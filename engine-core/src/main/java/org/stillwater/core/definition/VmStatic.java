package org.stillwater.core.definition;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.ClusterId;

/**
 * The part of a VM's definition that monitoring needs (monitoring specification §1.1). Users change
 * it through commands; monitoring only reads it, from memory.
 *
 * @param name the VM's name
 * @param origin where the definition comes from
 * @param highlyAvailable whether the VM is started again after a failure
 * @param memoryMebibytes configured memory
 * @param guaranteedMemoryMebibytes memory that ballooning may not go below
 * @param sockets CPU sockets, at least 1
 * @param coresPerSocket cores per socket, at least 1
 * @param threadsPerCore threads per core, at least 1; small enough for a short, which keeps a
 *     definition, of which there is one for each VM, at 48 bytes
 * @param nics network interfaces
 * @param leased whether the VM holds a lease on a storage domain, which names the host that may run
 *     it
 * @param cluster the cluster with the hosts that run it
 */
public record VmStatic(
        String name,
        VmOrigin origin,
        boolean highlyAvailable,
        int memoryMebibytes,
        int guaranteedMemoryMebibytes,
        int sockets,
        int coresPerSocket,
        short threadsPerCore,
        List<VmNic> nics,
        boolean leased,
        ClusterId cluster) {

    /** A VM with as many threads per core as it may have at most, if there are more. */
    public VmStatic(
            String name,
            VmOrigin origin,
            boolean highlyAvailable,
            int memoryMebibytes,
            int guaranteedMemoryMebibytes,
            int sockets,
            int coresPerSocket,
            int threadsPerCore,
            List<VmNic> nics,
            boolean leased,
            ClusterId cluster) {
        this(
                name,
                origin,
                highlyAvailable,
                memoryMebibytes,
                guaranteedMemoryMebibytes,
                sockets,
                coresPerSocket,
                (short) Math.clamp(threadsPerCore, 1, Short.MAX_VALUE),
                nics,
                leased,
                cluster);
    }

    /** A VM without a lease, of the default cluster. */
    public VmStatic(
            String name,
            VmOrigin origin,
            boolean highlyAvailable,
            int memoryMebibytes,
            int guaranteedMemoryMebibytes,
            int sockets,
            int coresPerSocket,
            int threadsPerCore,
            List<VmNic> nics) {
        this(
                name,
                origin,
                highlyAvailable,
                memoryMebibytes,
                guaranteedMemoryMebibytes,
                sockets,
                coresPerSocket,
                threadsPerCore,
                nics,
                false,
                ClusterId.DEFAULT);
    }

    public VmStatic {
        sockets = Math.max(1, sockets);
        coresPerSocket = Math.max(1, coresPerSocket);
        threadsPerCore = threadsPerCore < 1 ? 1 : threadsPerCore;
        nics = List.copyOf(nics);
    }

    /** Memory of the emulator itself for any machine: an estimate, in MiB. */
    private static final int EMULATOR_MEBIBYTES = 128;

    /** Memory of the emulator for each virtual CPU: an estimate, in MiB. */
    private static final int EMULATOR_MEBIBYTES_PER_CPU = 8;

    /** Page tables take eight bytes for each page of 4 KiB. */
    private static final int MEMORY_PER_PAGE_TABLE = 512;

    /**
     * Memory that the VM takes on its host when it uses all it has: its own and, for VMs that the
     * engine defined, an estimate of the emulator's memory. MiB.
     */
    public int memoryWithOverheadMebibytes() {
        if (origin.isFound()) {
            return memoryMebibytes;
        }
        return memoryMebibytes
                + EMULATOR_MEBIBYTES
                + EMULATOR_MEBIBYTES_PER_CPU * cpus()
                + memoryMebibytes / MEMORY_PER_PAGE_TABLE;
    }

    /** The same under another name and origin. */
    public VmStatic named(String newName, VmOrigin newOrigin) {
        return with(newName, newOrigin, highlyAvailable, nics, cluster);
    }

    /** The same with other interfaces. */
    public VmStatic withNics(List<VmNic> newNics) {
        return with(name, origin, highlyAvailable, newNics, cluster);
    }

    /** The same in another cluster. */
    public VmStatic in(ClusterId newCluster) {
        return with(name, origin, highlyAvailable, nics, newCluster);
    }

    /** The same, restarted after a failure or not. */
    public VmStatic withHighAvailability(boolean newHighlyAvailable) {
        return with(name, origin, newHighlyAvailable, nics, cluster);
    }

    private VmStatic with(
            String newName,
            VmOrigin newOrigin,
            boolean newHighlyAvailable,
            List<VmNic> newNics,
            ClusterId newCluster) {
        return new VmStatic(
                newName,
                newOrigin,
                newHighlyAvailable,
                memoryMebibytes,
                guaranteedMemoryMebibytes,
                sockets,
                coresPerSocket,
                threadsPerCore,
                newNics,
                leased,
                newCluster);
    }

    /** Number of virtual CPUs. */
    public int cpus() {
        return sockets * coresPerSocket * threadsPerCore;
    }

    /** The interface with this MAC address, or null. */
    public @Nullable VmNic nicWithMac(String mac) {
        for (VmNic nic : nics) {
            if (nic.mac().equals(mac)) {
                return nic;
            }
        }
        return null;
    }
}
