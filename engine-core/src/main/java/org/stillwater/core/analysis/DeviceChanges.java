package org.stillwater.core.analysis;

import java.util.List;
import org.stillwater.core.definition.VmDevice;

/**
 * Changes that a report requires of the saved devices of one VM.
 *
 * @param additions devices that were not known, unmanaged and plugged
 * @param updates known devices as they are now
 * @param removals unmanaged devices that are gone
 * @param skipped devices without a conclusion
 * @param missed missing managed devices that cannot be unplugged; an operator should check them
 */
public record DeviceChanges(
        List<VmDevice> additions,
        List<VmDevice> updates,
        List<VmDevice> removals,
        List<Skipped> skipped,
        List<VmDevice> missed) {

    public DeviceChanges {
        additions = List.copyOf(additions);
        updates = List.copyOf(updates);
        removals = List.copyOf(removals);
        skipped = List.copyOf(skipped);
        missed = List.copyOf(missed);
    }

    /** Whether every device is as it was. */
    public boolean isEmpty() {
        return additions.isEmpty() && updates.isEmpty() && removals.isEmpty();
    }

    /**
     * Whether the list was recent enough for all devices; else it must be read again, though the
     * rest of it holds.
     */
    public boolean isComplete() {
        return skipped.stream().noneMatch(one -> one.reason() == SkipReason.CHANGED_SINCE);
    }

    /**
     * A device without a conclusion.
     *
     * @param what the device, for the log
     * @param reason why
     */
    public record Skipped(String what, SkipReason reason) {}

    /** Reason for a missing conclusion about a device. */
    public enum SkipReason {
        /** The guest does not see it on a bus: graphics, consoles and the like. */
        NO_ADDRESS,
        /** The host reports no type. */
        NO_TYPE,
        /** The list names another device with the same identity before it. */
        DUPLICATE,
        /** A command plugged or unplugged it after the list was requested. */
        CHANGED_SINCE
    }
}
