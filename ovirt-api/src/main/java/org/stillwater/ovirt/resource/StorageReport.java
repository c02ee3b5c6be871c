package org.stillwater.ovirt.resource;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.ovirt.fleet.Fleet;

/**
 * Storage domains and disks as the API shows them, for collectors of metrics. Each call reads
 * memory; the report keeps only names. Used by one thread.
 */
public final class StorageReport {

    private final Fleet fleet;
    private final UnmanagedObjects surroundings;
    private final Map<String, String> names = new HashMap<>();

    StorageReport(Fleet fleet, UnmanagedObjects surroundings) {
        this.fleet = fleet;
        this.surroundings = surroundings;
        surroundings.storages().forEach(storage -> names.put(storage.id(), storage.name()));
    }

    /**
     * A storage domain.
     *
     * @param name its name
     * @param type how it is reached, for example {@code nfs}
     * @param path where it is
     * @param ok whether the hosts of its data centre see it
     * @param master whether it is the first of its data centre
     * @param committedBytes bytes that the disks of VMs occupy on it
     * @param availableBytes its free space, null if unknown
     */
    public record Domain(
            String name,
            String type,
            String path,
            boolean ok,
            boolean master,
            long committedBytes,
            @Nullable Long availableBytes) {}

    /**
     * A disk of a VM.
     *
     * @param id identity
     * @param name its name
     * @param logicalName device in the guest, null if unknown
     * @param domain name of its storage domain, null for a LUN
     * @param bytes occupied bytes, the only known size; 0 if unknown
     */
    public record Disk(
            String id,
            String name,
            @Nullable String logicalName,
            @Nullable String domain,
            long bytes) {}

    /** Every storage domain. */
    public List<Domain> domains() {
        Map<String, Long> taken = taken(fleet, surroundings);
        ReferenceData data = surroundings.data();
        return surroundings.storages().stream()
                .map(storage -> {
                    long committed = taken.getOrDefault(storage.id(), 0L);
                    return new Domain(
                            storage.name(),
                            data.storageType(),
                            data.storagePath(),
                            storage.valid(),
                            storage.master(),
                            committed,
                            data.availableBytes(committed));
                })
                .toList();
    }

    /** The disks of a VM; none of one that is gone. */
    public List<Disk> disks(VmId id) {
        VmView vm = fleet.vm(id);
        if (vm == null) {
            return List.of();
        }
        return KnownDisk.of(fleet, vm).stream().map(disk -> disk(vm, disk)).toList();
    }

    private Disk disk(VmView vm, KnownDisk disk) {
        Long bytes = disk.actualBytes();
        String domain =
                disk.lun() != null
                        ? null
                        : surroundings.storage(vm.definition().cluster(), disk.domain());
        return new Disk(
                disk.id(),
                disk.name(),
                disk.logicalName(),
                domain == null ? null : names.getOrDefault(domain, domain),
                bytes == null ? 0 : bytes);
    }

    /** Bytes that the disks of VMs take of each storage domain, by its identity. */
    static Map<String, Long> taken(Fleet fleet, UnmanagedObjects surroundings) {
        Map<String, Long> taken = new HashMap<>();
        for (VmId id : fleet.vms()) {
            VmView vm = fleet.vm(id);
            if (vm == null) {
                continue;
            }
            for (KnownDisk disk : KnownDisk.of(fleet, vm)) {
                Long bytes = disk.actualBytes();
                if (bytes != null && disk.lun() == null) {
                    taken.merge(
                            surroundings.storage(vm.definition().cluster(), disk.domain()),
                            bytes,
                            Long::sum);
                }
            }
        }
        return taken;
    }
}
