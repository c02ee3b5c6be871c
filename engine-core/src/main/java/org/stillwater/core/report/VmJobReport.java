package org.stillwater.core.report;

import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.BlockJobType;
import org.stillwater.core.vm.JobState;
import org.stillwater.core.vm.JobType;
import org.stillwater.core.vm.VmJob;

/**
 * One job of a VM as its host reports it (protocol specification §3.3.7). Null stands for "not
 * reported": the known value stays.
 *
 * @param id the job
 * @param type object that it works on
 * @param blockType kind of block job
 * @param bandwidthMebibytesPerSecond limit of its pace, 0 for none
 * @param cursorCurrent how much is done, bytes
 * @param cursorEnd how much there is to do, bytes
 * @param imageGroupId the disk
 */
public record VmJobReport(
        UUID id,
        @Nullable JobType type,
        @Nullable BlockJobType blockType,
        @Nullable Long bandwidthMebibytesPerSecond,
        @Nullable Long cursorCurrent,
        @Nullable Long cursorEnd,
        @Nullable UUID imageGroupId) {

    /** A job of which nothing but its identity could be read. */
    public static VmJobReport unreadable(UUID id) {
        return new VmJobReport(id, null, null, null, null, null, null);
    }

    /**
     * The job as it is known from its first report. Null if the report lacks the job's type: then
     * it is unknown which numbers count, and a later report may contain it.
     */
    public @Nullable VmJob asNew(VmId vmId) {
        return type == null || blockType == null
                ? null
                : over(new VmJob(id, vmId, JobState.NORMAL, type, blockType, 0, 0, 0, null));
    }

    /** The known job, updated with all reported values. */
    public VmJob over(VmJob known) {
        return new VmJob(
                known.id(),
                known.vmId(),
                JobState.NORMAL,
                type == null ? known.type() : type,
                blockType == null ? known.blockType() : blockType,
                bandwidthMebibytesPerSecond == null
                        ? known.bandwidthMebibytesPerSecond()
                        : bandwidthMebibytesPerSecond,
                cursorCurrent == null ? known.cursorCurrent() : cursorCurrent,
                cursorEnd == null ? known.cursorEnd() : cursorEnd,
                imageGroupId == null ? known.imageGroupId() : imageGroupId);
    }
}
