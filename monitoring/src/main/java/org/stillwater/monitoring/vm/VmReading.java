package org.stillwater.monitoring.vm;

import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.VmId;

/**
 * One VM for readers of many VMs: reading allocates nothing, so that a pass over a hundred thousand
 * VMs leaves no garbage. Any thread; never locks.
 */
public interface VmReading {

    /** Identity of the VM. */
    VmId id();

    /** Definition of the VM. */
    VmStatic definition();

    /** Known state of the VM. */
    VmState state();

    /**
     * When a host last reported it, ms since the epoch; 0 if no host has since the engine started,
     * so that the state is only the saved one.
     */
    long lastReportEpochMillis();

    /** Copies its numbers of one moment into a buffer that the reader reuses. */
    void numbers(VmNumbers into);

    /** One whole number of now, or {@link VmNumbers#UNKNOWN}, without a copy of all of them. */
    long whole(VmNumber number);

    /** One number with decimals of now, or NaN, without a copy of all of them. */
    double fraction(VmNumber number);

    /**
     * Digest of the list of devices that the host gave last, once the devices are saved; 0 if it
     * has given none since the engine started, or a command changed one since.
     */
    long deviceDigest();

    /** When the report arrived that its numbers come from, ms since the epoch; 0 without any. */
    long observedEpochMillis();
}
