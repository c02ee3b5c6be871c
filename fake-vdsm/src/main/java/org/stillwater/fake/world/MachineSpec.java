package org.stillwater.fake.world;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A VM to create.
 *
 * @param id its id; {@code null} lets the world choose
 * @param name its name; {@code null} lets the world choose
 * @param windows Windows instead of Linux
 * @param agent whether a guest agent will answer
 * @param nics how many NICs, 0 to 7
 * @param disks how many disks beside the CD drive, 0 to 20
 * @param memoryMib memory in MiB
 * @param vcpus virtual CPUs
 */
public record MachineSpec(
        @Nullable UUID id,
        @Nullable String name,
        boolean windows,
        boolean agent,
        int nics,
        int disks,
        int memoryMib,
        int vcpus) {

    /** Refuses sizes no host could run. */
    public MachineSpec {
        require(nics >= 0 && nics <= 7, "nics must be 0 to 7");
        require(disks >= 0 && disks <= 20, "disks must be 0 to 20");
        require(memoryMib >= 16 && memoryMib <= 16 << 20, "memoryMib must be 16 to 16777216");
        require(vcpus >= 1 && vcpus <= 1024, "vcpus must be 1 to 1024");
    }

    /** A small Linux VM with an agent, one NIC and one disk. */
    public static MachineSpec ordinary() {
        return new MachineSpec(null, null, false, true, 1, 1, 4096, 2);
    }

    /** The same with this id. */
    public MachineSpec withId(UUID newId) {
        return new MachineSpec(newId, name, windows, agent, nics, disks, memoryMib, vcpus);
    }

    /** The same with this name. */
    public MachineSpec withName(String newName) {
        return new MachineSpec(id, newName, windows, agent, nics, disks, memoryMib, vcpus);
    }

    /** The same with or without an agent. */
    public MachineSpec withAgent(boolean hasAgent) {
        return new MachineSpec(id, name, windows, hasAgent, nics, disks, memoryMib, vcpus);
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
