package org.stillwater.fake.world;

import org.jspecify.annotations.Nullable;

/**
 * The parameters of a VM's start.
 *
 * @param failure ending of a start that does not succeed
 * @param volumes its saved state; {@code null} for a start from its disks
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

    /** Whether its memory comes from a saved state. */
    boolean restored() {
        return volumes != null;
    }
}
