package org.stillwater.core.analysis;

import static org.stillwater.core.report.VmSample.NOT_REPORTED;

/**
 * Whether a VM's balloon follows its orders (monitoring specification §4.9 "Balloon"). Pure, on
 * primitives, for the per-cycle path; sizes are in KiB, {@link
 * org.stillwater.core.report.VmSample#NOT_REPORTED} if the host did not report them.
 *
 * <p>One observation is no proof, so each problem is counted: a poll that shows it adds one, a poll
 * that shows the opposite clears the count. Once the count has reached the limit, the next poll
 * that shows the problem {@linkplain #isDue reports} it and the count starts again.
 *
 * <p>"Moved" needs the size at the poll before. The engine that this follows never kept it, so its
 * events could not fire; and it mistook a balloon that rests at its target for one that ignores it,
 * which would have fired for every VM with a balloon that had done its work. Here a balloon at its
 * target is the opposite of a problem.
 */
public final class BalloonCheck {

    private BalloonCheck() {}

    /**
     * Whether the VM has memory to return; otherwise its balloon cannot be wrong.
     *
     * @param guaranteedMebibytes memory that ballooning may not go below
     * @param memoryMebibytes memory in the VM's definition
     * @param currentKibibytes the balloon now
     * @param maximumKibibytes the balloon that gives nothing back
     * @param targetKibibytes target of the balloon
     */
    public static boolean isRequested(
            int guaranteedMebibytes,
            int memoryMebibytes,
            long currentKibibytes,
            long maximumKibibytes,
            long targetKibibytes) {
        return guaranteedMebibytes < memoryMebibytes
                && currentKibibytes != NOT_REPORTED
                && maximumKibibytes != NOT_REPORTED
                && targetKibibytes != NOT_REPORTED
                && targetKibibytes != maximumKibibytes;
    }

    /**
     * Whether the driver ignores its target: nothing was given back, or the balloon is not nearer
     * to its target than it was. Of a {@linkplain #isRequested requested} balloon only.
     *
     * @param lastKibibytes the balloon at the poll before; when that is not known, it counts as not
     *     having moved, and the count decides
     * @param currentKibibytes the balloon now
     * @param maximumKibibytes the balloon that gives nothing back
     * @param targetKibibytes target of the balloon
     */
    public static boolean ignoresTarget(
            long lastKibibytes,
            long currentKibibytes,
            long maximumKibibytes,
            long targetKibibytes) {
        if (currentKibibytes == targetKibibytes) {
            return false;
        }
        long last = lastKibibytes == NOT_REPORTED ? currentKibibytes : lastKibibytes;
        return currentKibibytes == maximumKibibytes
                || Math.abs(last - targetKibibytes) <= Math.abs(currentKibibytes - targetKibibytes);
    }

    /**
     * Whether memory was given back and the guest cannot report its state: the agent is down. Of a
     * {@linkplain #isRequested requested} balloon only.
     *
     * @param memoryUsagePercent memory used in the guest; 0 when its agent is down
     * @param currentKibibytes the balloon now
     * @param maximumKibibytes the balloon that gives nothing back
     * @param minimumKibibytes the smallest balloon; without it the device is not enabled
     */
    public static boolean isUncontrolled(
            long memoryUsagePercent,
            long currentKibibytes,
            long maximumKibibytes,
            long minimumKibibytes) {
        return memoryUsagePercent == 0
                && minimumKibibytes != NOT_REPORTED
                && currentKibibytes != maximumKibibytes;
    }

    /**
     * Whether a problem was seen often enough.
     *
     * @param count polls that showed it before this one
     * @param problem whether this one does
     * @param limit count from which it is reported ({@code IterationsWithBalloonProblem})
     */
    public static boolean isDue(int count, boolean problem, int limit) {
        return problem && count >= limit;
    }

    /** The count after this poll; see {@link #isDue} for the parameters. */
    public static int counted(int count, boolean problem, int limit) {
        return problem && count < limit ? count + 1 : 0;
    }
}
