package org.stillwater.relay.vm;

import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.vm.RuntimeField;

/**
 * Keys of cells, as {@code docs/reference/relay-protocol.md} lists them. They travel between
 * releases: a number never changes its meaning.
 */
final class CellKey {

    /** The record of the host itself. */
    static final UUID HOST = new UUID(0, 0);

    // Keys of a host.
    static final int POLL = 1;
    static final int POLL_MARK = 2;
    static final int CONNECTED = 3;
    static final int REASON = 4;
    static final int POLL_SESSION = 5;

    // Keys of a VM.
    static final int KIND = 1;
    static final int STAMP = 2;
    static final int POLLED = 3;
    static final int NAME = 4;
    static final int DEVICE_HASH = 5;
    static final int TPM_HASH = 6;
    static final int NVRAM_HASH = 7;

    /** {@link #KIND} of a VM with a process. */
    static final long RUNNING = 1;

    /** {@link #KIND} of a VM after the end of its process. */
    static final long EXITED = 2;

    private static final int FIRST_RUNTIME = 16;
    static final int LAST_RUNTIME = 79;

    /** The interfaces of {@link RuntimeField#GUEST_NICS}; its own cell holds the digest. */
    static final int GUEST_NIC_LIST = 79;

    static final int CPU_USER = 80;
    static final int CPU_SYSTEM = 81;
    static final int ELAPSED = 82;
    static final int MEMORY_USAGE = 83;
    static final int MEMORY_FREE = 84;
    static final int MEMORY_UNUSED = 85;
    static final int MEMORY_BUFFERED = 86;
    static final int MEMORY_CACHED = 87;
    static final int BALLOON_CURRENT = 88;
    static final int BALLOON_MAXIMUM = 89;
    static final int BALLOON_TARGET = 90;
    static final int BALLOON_MINIMUM = 91;
    static final int MIGRATION_PROGRESS = 92;
    static final int DISKS_USAGE_DIGEST = 93;
    static final int DISKS_USAGE = 94;
    static final int NICS_REPORTED = 95;
    static final int DISKS_REPORTED = 96;
    static final int JOBS = 97;
    static final int NUMA_DIGEST = 98;
    static final int NUMA = 99;

    private static final int FIRST_NIC = 256;
    static final int MOST_NICS = 256;
    private static final int FIRST_DISK = 8_192;
    static final int MOST_DISKS = 1_024;
    private static final int PER_ROW = 16;

    // Keys of an interface, as offsets from the row's first key.
    static final int MAC = 0;
    static final int RECEIVED_BYTES = 1;
    static final int SENT_BYTES = 2;
    static final int RECEIVE_DROPPED = 3;
    static final int SEND_DROPPED = 4;
    static final int SAMPLE_TIME = 5;

    // Keys of a disk, as offsets from the row's first key.
    static final int DISK_NAME = 0;
    static final int IMAGE = 1;
    static final int LUN = 2;
    static final int READ_RATE = 3;
    static final int WRITE_RATE = 4;
    static final int READ_OPERATIONS = 5;
    static final int WRITE_OPERATIONS = 6;
    static final int ACTUAL_SIZE = 7;
    static final int READ_LATENCY = 8;
    static final int WRITE_LATENCY = 9;
    static final int FLUSH_LATENCY = 10;

    private static final @Nullable RuntimeField[] BY_KEY =
            new @Nullable RuntimeField[LAST_RUNTIME + 1];

    static {
        for (RuntimeField field : RuntimeField.values()) {
            BY_KEY[of(field)] = field;
        }
    }

    private CellKey() {}

    /** The runtime field of a key; null for none. */
    static @Nullable RuntimeField field(int key) {
        return key >= 0 && key <= LAST_RUNTIME ? BY_KEY[key] : null;
    }

    /** First key of the n-th interface. */
    static int nic(int index) {
        return FIRST_NIC + index * PER_ROW;
    }

    /** First key of the n-th disk. */
    static int disk(int index) {
        return FIRST_DISK + index * PER_ROW;
    }

    /** The offset of a key in an interface's row; −1 for another key. */
    static int ofNic(int key) {
        return key >= FIRST_NIC && key < nic(MOST_NICS) ? (key - FIRST_NIC) % PER_ROW : -1;
    }

    /** The offset of a key in a disk's row; −1 for another key. */
    static int ofDisk(int key) {
        return key >= FIRST_DISK && key < disk(MOST_DISKS) ? (key - FIRST_DISK) % PER_ROW : -1;
    }

    /** Whether a key belongs to the VM's runtime. */
    static boolean isRuntime(int key) {
        return key >= FIRST_RUNTIME && key <= LAST_RUNTIME;
    }

    /** Key of a field of the runtime. */
    static int of(RuntimeField field) {
        return switch (field) {
            case STATUS -> 16;
            case PAUSE_STATUS -> 17;
            case EXIT_STATUS -> 18;
            case EXIT_REASON -> 19;
            case EXIT_MESSAGE -> 20;
            case ACPI_ENABLED -> 21;
            case UTC_DIFF -> 22;
            case CLIENT_IP -> 23;
            case CURRENT_CD -> 24;
            case SPICE_IP -> 25;
            case SPICE_PORT -> 26;
            case SPICE_TLS_PORT -> 27;
            case VNC_IP -> 28;
            case VNC_PORT -> 29;
            case VNC_TLS_PORT -> 30;
            case LAST_WATCHDOG_EVENT -> 31;
            case LAST_WATCHDOG_ACTION -> 32;
            case GUEST_USER -> 33;
            case SESSION -> 34;
            case GUEST_CPU_COUNT -> 35;
            case APP_LIST -> 36;
            case FQDN -> 37;
            case GUEST_HOST_NAME -> 38;
            case GUEST_OS -> 39;
            case GUEST_OS_TYPE -> 40;
            case GUEST_OS_ARCH -> 41;
            case GUEST_OS_KERNEL -> 42;
            case GUEST_OS_DISTRIBUTION -> 43;
            case GUEST_OS_VERSION -> 44;
            case GUEST_OS_CODENAME -> 45;
            case GUEST_TIMEZONE_NAME -> 46;
            case GUEST_TIMEZONE_OFFSET -> 47;
            case GUEST_CONTAINERS -> 48;
            case GUEST_NICS -> 49;
            case GUEST_IPS -> 50;
        };
    }
}
