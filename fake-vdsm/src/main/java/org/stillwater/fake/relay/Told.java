package org.stillwater.fake.relay;

/**
 * What a simulated relay remembers of one VM: not what it told, but from which moments that
 * follows, so that a million VMs fit into one process.
 */
final class Told {

    /** Digest of what the report follows from besides time. */
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
