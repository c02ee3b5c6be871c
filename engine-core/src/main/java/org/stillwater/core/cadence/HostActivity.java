package org.stillwater.core.cadence;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Inputs of the decision about one host's interval.
 *
 * @param polled the complete poll that was just analysed; null if the interval is decided between
 *     polls
 * @param held why the host keeps the ordinary interval in any case; null for no such reason
 * @param operations VMs with an operation under way
 * @param commanded whether the host got a command a moment ago
 * @param viewed whether clients read it or one of its VMs
 * @param rule longest interval that alert rules bear; null for any
 * @param stretch by how much the CPU budget makes intervals longer, at least 1
 */
public record HostActivity(
        @Nullable Polled polled,
        @Nullable CadenceReason held,
        int operations,
        boolean commanded,
        boolean viewed,
        @Nullable Duration rule,
        double stretch) {

    public HostActivity {
        if (operations < 0 || !(stretch >= 1)) {
            throw new IllegalArgumentException(
                    "operations are not negative, the stretch is at least 1");
        }
    }

    /**
     * A complete poll.
     *
     * @param vms VMs in it
     * @param moved those of them that moved since the poll before
     * @param after time since the poll before
     */
    public record Polled(int vms, int moved, Duration after) {

        private static final int PERCENT = 100;

        /** A poll; more VMs than there are do not move. */
        public Polled {
            if (vms < 0 || moved < 0) {
                throw new IllegalArgumentException("numbers of VMs are not negative");
            }
            moved = Math.min(moved, vms);
        }

        /** Share of the VMs that moved, 0 to 1. */
        double share() {
            return vms == 0 ? 0 : (double) moved / vms;
        }

        int percent() {
            return (int) Math.round(share() * PERCENT);
        }
    }
}
