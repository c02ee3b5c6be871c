package org.stillwater.core.report;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.VmRuntime;

/** Receives VM reports one by one while a message is being decoded, on the decoding thread. */
public interface VmReportSink {

    /**
     * Known runtime of a VM before its report is decoded, so that the decoder can compare in place
     * and return the same instance. Called once per VM, before {@link #accept}.
     *
     * @param vmId the VM
     * @param sample the scratch sample of that VM, already cleared; the sink may set {@link
     *     VmSample#knownDisksUsageDigest} and {@link VmSample#knownNumaDigest}
     * @return the known runtime, or null for a VM that the engine does not know
     */
    @Nullable VmRuntime known(VmId vmId, VmSample sample);

    /**
     * Takes one VM's report. Decoders call {@link #deliver}, so that an exception costs this VM
     * only.
     *
     * @param report the report
     * @param sample the numbers, valid during this call; null if the message carries none (events)
     */
    void accept(VmReport report, @Nullable VmSample sample);

    /**
     * A VM's report could not be understood. The others of the same message are not affected.
     *
     * @param vmId the VM if it could be read
     * @param reason one sentence for the operator
     */
    void malformed(@Nullable VmId vmId, String reason);

    /**
     * A VM's report was understood, but {@link #accept} did not process it. The others of the same
     * message are not affected. The receiver limits the lines of its log.
     *
     * @param vmId the VM
     * @param bug the exception of {@link #accept}
     */
    default void failed(VmId vmId, RuntimeException bug) {
        malformed(vmId, "the report could not be processed: " + bug);
    }

    /**
     * Hands a report to {@link #accept}; an exception costs this VM only.
     *
     * @param report the report
     * @param sample as of {@link #accept}
     * @return whether it was processed
     */
    default boolean deliver(VmReport report, @Nullable VmSample sample) {
        try {
            accept(report, sample);
            return true;
        } catch (RuntimeException bug) {
            failed(report.vmId(), bug);
            return false;
        }
    }

    /**
     * A text or list of a VM was cut to its limit, or cleaned, before it was handed over. Called
     * only when the value is not the known one: a repeated value of a host is not reported again.
     *
     * @param vmId the VM
     * @param wire where the value stands in the report
     */
    default void altered(VmId vmId, String wire) {}
}
