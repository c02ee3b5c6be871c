package org.stillwater.core.vm;

import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;

/**
 * A job that a host does on a VM, as the database holds it: today always a live merge (monitoring
 * specification §1.6).
 *
 * @param id identity, as the host reports it
 * @param vmId the VM
 * @param state whether a host reported it
 * @param type object that it works on
 * @param blockType its effect on a disk
 * @param bandwidthMebibytesPerSecond limit of its pace, 0 for none
 * @param cursorCurrent how much is done, bytes
 * @param cursorEnd total amount that the host estimates, bytes; 0 until it reports one
 * @param imageGroupId the disk, null if the host reports none
 */
public record VmJob(
        UUID id,
        VmId vmId,
        JobState state,
        JobType type,
        BlockJobType blockType,
        long bandwidthMebibytesPerSecond,
        long cursorCurrent,
        long cursorEnd,
        @Nullable UUID imageGroupId) {

    /**
     * Which job of which VM. Hosts choose the identities of jobs, so that one of them may report
     * the identity of another host's job: it stays another job.
     */
    public record Key(VmId vmId, UUID id) implements Comparable<Key> {

        /** By VM, then by job, as the database orders them. */
        @Override
        public int compareTo(Key other) {
            int vms = vmId.compareTo(other.vmId);
            return vms != 0 ? vms : VmId.of(id).compareTo(VmId.of(other.id));
        }
    }

    /** Its key. */
    public Key key() {
        return new Key(vmId, id);
    }

    /** The same in another state. */
    public VmJob in(JobState other) {
        return new VmJob(
                id,
                vmId,
                other,
                type,
                blockType,
                bandwidthMebibytesPerSecond,
                cursorCurrent,
                cursorEnd,
                imageGroupId);
    }

    /** Whether nothing but the state differs: then there is nothing to write. */
    public boolean equalsButForState(VmJob other) {
        return equals(other.in(state));
    }

    /** How much is done, 0–100; null as long as the end is unknown. */
    public @Nullable Integer progressPercent() {
        return cursorEnd <= 0
                ? null
                : (Integer) (int) (100.0 * Math.clamp(cursorCurrent, 0, cursorEnd) / cursorEnd);
    }
}
