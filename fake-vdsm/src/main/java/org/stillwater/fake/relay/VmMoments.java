package org.stillwater.fake.relay;

/**
 * A simulated relay's memory of one VM: it keeps the moments from which sent values follow, not the
 * values, so that a million VMs fit into one process.
 */
final class VmMoments {

    /** Digest of everything besides time that determines the report. */
    long rest;

    /** The virtual moment of the rest, and of the numbers at the latest. */
    long restAt;

    /** The sequence of the rest. */
    long restVersion;

    /** The virtual moment of the numbers. */
    long numbersAt;

    /** The sequence of the numbers. */
    long numbersVersion;

    /** The rest's part of the checksum, if {@link #summed}. */
    long restSum;

    boolean summed;

    /** The pass that saw it last. */
    int pass;

    /** Most interfaces and disks that it ever had. */
    int nics;

    int disks;
}
