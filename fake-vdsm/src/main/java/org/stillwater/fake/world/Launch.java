package org.stillwater.fake.world;

import org.jspecify.annotations.Nullable;

/**
 * How a VM is to be started.
 *
 * @param failure how the start ends, if it does not succeed
 * @param restored whether its memory comes from where it was saved
 * @param paused whether its processors stand still at first
 * @param endsOnReboot whether it goes down when its guest reboots
 */
record Launch(@Nullable Exit failure, boolean restored, boolean paused, boolean endsOnReboot) {

    /** The usual way. */
    static final Launch USUAL = new Launch(null, false, false, false);

    /** The usual way, with this end. */
    static Launch endingIn(@Nullable Exit failure) {
        return new Launch(failure, false, false, false);
    }
}
