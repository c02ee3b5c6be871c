package org.stillwater.fake.world;

import org.jspecify.annotations.Nullable;

/**
 * How a VM is to be started.
 *
 * @param failure how the start ends, if it does not succeed
 * @param volumes where it was saved; {@code null} for a start from its disks
 * @param paused whether its processors stand still at first
 * @param endsOnReboot whether it goes down when its guest reboots
 */
record Launch(
        @Nullable Exit failure,
        VolumeAddress.@Nullable Pair volumes,
        boolean paused,
        boolean endsOnReboot) {

    /** The usual way, with this end. */
    static Launch endingIn(@Nullable Exit failure) {
        return new Launch(failure, null, false, false);
    }

    /** Whether its memory comes from where it was saved. */
    boolean restored() {
        return volumes != null;
    }
}
