package org.stillwater.core.report;

import org.stillwater.core.text.TextLimit;

/**
 * The limits of reported texts and lists that are no {@code RuntimeField} and no {@link HostField}
 * of their own: the rest of the one table of limits. Decoding follows from it.
 */
@SuppressWarnings("ImmutableEnumChecker") // a record of two numbers is immutable
public enum ReportedText {
    VM_NAME("vmName", TextLimit.NAME),
    DEVICE_HASH("hash", TextLimit.NAME),
    TPM_HASH("tpmHash", TextLimit.NAME),
    NVRAM_HASH("nvramHash", TextLimit.NAME),
    /** One application of {@code appsList}. */
    APPLICATION("appsList.*", TextLimit.NAME),
    /** Any text inside {@code guestContainers}. */
    CONTAINER("guestContainers.*", TextLimit.plain(4_000)),
    GUEST_NIC_NAME("netIfaces.*.name", TextLimit.NAME),
    GUEST_NIC_MAC("netIfaces.*.hw", TextLimit.NAME),
    /** Addresses of one guest interface; an address with its zone has some 60 characters. */
    GUEST_NIC_ADDRESSES("netIfaces.*.inet, inet6", new TextLimit(255, 256)),
    /** Counters of interfaces; libvirt and QEMU end well below. */
    VM_NICS("network", new TextLimit(255, 256)),
    /** Counters of disks. */
    VM_DISKS("disks", new TextLimit(255, 1_024)),
    LUN_ID("disks.*.lunGUID", TextLimit.NAME),
    /** Kept as JSON text; entries that do not fit are left out. */
    DISKS_USAGE("disksUsage", new TextLimit(65_536, 1_024)),
    VM_JOBS("vmJobs", new TextLimit(255, 1_024)),
    /** For a VM and for a host; Linux ends at 1 024 nodes. */
    NUMA_NODES("vNodeRuntimeInfo, numaNodes", new TextLimit(65_536, 1_024)),
    /** A single text of a host about itself. */
    HOST_TEXT("texts of a host", TextLimit.plain(1_024)),
    /** A list or structure of a host; characters of each of its texts. */
    HOST_LIST("lists of a host", new TextLimit(1_024, 4_096)),
    /** Data of the host about itself that is kept as JSON text. */
    HOST_DOCUMENT("hostQos, qos, objects among texts", new TextLimit(16_384, 1_024)),
    /** Everything kept of one answer of a host about itself. */
    HOST_ANSWER("one answer of a host", new TextLimit(1_048_576, 262_144)),
    /** TPM or NVRAM data, encoded; more is refused, because a part of it is of no use. */
    EXTERNAL_DATA("VM.getExternalData", TextLimit.plain(4_194_304)),
    /** Message of a host about a refused call, and reason of a connection's end. */
    FAILURE("error.message, ERROR frames", TextLimit.plain(1_000)),
    /** A name, alias, address or model in a domain XML; devices. */
    DOMAIN("Host.dumpxmls", new TextLimit(4_096, 4_096));

    private final String wire;
    private final TextLimit limit;

    ReportedText(String wire, TextLimit limit) {
        this.wire = wire;
        this.limit = limit;
    }

    /** Path of the text in a host's messages. */
    public String wire() {
        return wire;
    }

    /** How much of it is kept; for a list of texts, characters of one of them. */
    public TextLimit limit() {
        return limit;
    }

    /** Most characters kept of one text. */
    public int mostCharacters() {
        return limit.characters();
    }

    /** Most entries kept of one list. */
    public int mostEntries() {
        return limit.entries();
    }
}
