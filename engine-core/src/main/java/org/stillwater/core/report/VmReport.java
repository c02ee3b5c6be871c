package org.stillwater.core.report;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.VmRuntime;

/** Report of one host about one VM, in one poll or event. */
public sealed interface VmReport {

    /** {@link #hostStampMillis()} of a report that carries none. */
    long NO_STAMP = -1;

    /** The VM. */
    VmId vmId();

    /**
     * The host's monotonic clock at the time of the report, in ms; {@link #NO_STAMP} without one.
     * Comparable only within one boot of one host (protocol specification §4.3).
     */
    long hostStampMillis();

    /**
     * The VM has a process on the host.
     *
     * @param vmId the VM
     * @param hostStampMillis the host's clock
     * @param name the VM's name as the host knows it, null when not reported (events)
     * @param runtime all that was reported, absent fields filled in by the rules of {@code
     *     RuntimeField}; the very instance that was known when nothing differs
     * @param deviceHash opaque token of the VM's devices, null when not reported
     * @param tpmHash hash of the VM's TPM data, null when not reported
     * @param nvramHash hash of the VM's NVRAM data, null when not reported
     */
    record Running(
            VmId vmId,
            long hostStampMillis,
            @Nullable String name,
            VmRuntime runtime,
            @Nullable String deviceHash,
            @Nullable String tpmHash,
            @Nullable String nvramHash)
            implements VmReport {

        /** For a VM that keeps nothing outside its disks. */
        public Running(
                VmId vmId,
                long hostStampMillis,
                @Nullable String name,
                VmRuntime runtime,
                @Nullable String deviceHash) {
            this(vmId, hostStampMillis, name, runtime, deviceHash, null, null);
        }
    }

    /**
     * The VM's process on the host ended; the host repeats the report until it gets an order to
     * destroy the VM.
     *
     * @param vmId the VM
     * @param hostStampMillis the host's clock
     * @param status whether it ended as it should
     * @param reason why it ended
     * @param message the host's words, possibly empty
     */
    record Exited(
            VmId vmId, long hostStampMillis, ExitStatus status, ExitReason reason, String message)
            implements VmReport {}

    /**
     * A complete answer of the host that is responsible for the VM does not mention it.
     *
     * @param vmId the VM
     */
    record Absent(VmId vmId) implements VmReport {
        @Override
        public long hostStampMillis() {
            return NO_STAMP;
        }
    }
}
