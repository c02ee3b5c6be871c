package org.stillwater.core.command;

import org.stillwater.core.definition.VmSpecification;

/**
 * The CD drive of a machine, as libvirt and the host agent name it: the third drive of its bus, as
 * with oVirt.
 *
 * @param bus {@code sata} for machines of the q35 family, else {@code ide}
 * @param index number of the drive on its bus
 */
public record CdDrive(String bus, int index) {

    private static final int INDEX = 2;
    private static final CdDrive SATA = new CdDrive("sata", INDEX);
    private static final CdDrive IDE = new CdDrive("ide", INDEX);

    /** The drive of a VM. */
    public static CdDrive of(VmSpecification specification, StartEnvironment surroundings) {
        return of(DomainXmlWriter.isModern(DomainXmlWriter.machine(specification, surroundings)));
    }

    /**
     * The drive of a machine.
     *
     * @param modern whether it is of the q35 family
     */
    static CdDrive of(boolean modern) {
        return modern ? SATA : IDE;
    }

    /** Name of the drive in the domain. */
    String target() {
        return (bus.equals("ide") ? "hd" : "sd") + DomainDevices.letters(index);
    }
}
