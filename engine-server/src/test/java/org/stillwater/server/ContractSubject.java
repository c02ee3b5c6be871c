package org.stillwater.server;

import java.util.Set;

/**
 * Hosts and VMs of one hypervisor behind a running engine. The contracts of the engine's interfaces
 * hold for every one of them; {@link Gap} names all exceptions.
 */
interface ContractSubject {

    /** Data that a hypervisor does not report, or that its simulator lacks. */
    enum Gap {
        /** XAPI does not know the name of a guest in DNS, nor its users. */
        GUEST_NAMES,
        /** A pool's host has numbers of all processors together. */
        NUMBERS_OF_EACH_CORE,
        /** A pool's host does not report the free space of its own file systems. */
        LOCAL_DISKS,
        /** The simulated pool has no bonds. */
        BONDS
    }

    /**
     * A change of a running VM that the hypervisor reports by itself.
     *
     * @param vm the VM
     * @param member of the VM that it changes
     * @param value of the member afterwards
     * @param made does it and waits until the engine shows it
     */
    record Change(String vm, String member, String value, Runnable made) {
        void make() {
            made.run();
        }
    }

    RunningEngine engine();

    Set<Gap> gaps();

    default boolean has(Gap gap) {
        return gaps().contains(gap);
    }

    /** The name of its cluster. */
    String cluster();

    /** Number of its hosts. */
    int hosts();

    /** Number of its VMs. */
    int vms();

    /** Number of its VMs that have a process. */
    int running();

    /** How many VMs have a process on a host. */
    int vmsOn(String host);

    /** Addresses of its hosts, as a filter has them. */
    String addresses();

    /** An interface that every host has. */
    String nic();

    /** A running VM whose changes no other test makes. */
    String vm(int number);

    /** A change of a VM; other numbers, other VMs. */
    Change change(int number);

    /** The hypervisor begins to move a VM to another of its hosts. */
    void migrate(String vm, String hostId);

    /** Time passes there. */
    void pass();
}
