package org.stillwater.core.connection;

import java.util.List;

/**
 * Actions of a host that bring a migration to its end although the guest writes faster than the
 * network carries (protocol specification §3.8).
 *
 * @param initial actions at the beginning, in order
 * @param stalling actions each time the migration makes no progress; at most 100 steps
 */
public record ConvergenceSchedule(List<Action> initial, List<Step> stalling) {

    private static final int MOST = 100;

    /** Any further number of stalls; its action comes last. */
    private static final int FOR_EVER = -1;

    /** Longer and longer downtimes, from 100 to 500 ms, then giving up. */
    public static final ConvergenceSchedule MINIMAL_DOWNTIME =
            new ConvergenceSchedule(
                    List.of(Action.downtime(100)),
                    List.of(
                            new Step(1, Action.downtime(150)),
                            new Step(2, Action.downtime(200)),
                            new Step(3, Action.downtime(300)),
                            new Step(4, Action.downtime(400)),
                            new Step(6, Action.downtime(500)),
                            new Step(FOR_EVER, Action.ABORT)));

    public ConvergenceSchedule {
        initial = List.copyOf(initial);
        stalling = List.copyOf(stalling);
        if (initial.size() > MOST || stalling.size() > MOST) {
            throw new IllegalArgumentException(
                    "a convergence schedule has at most " + MOST + " steps of each kind");
        }
    }

    /**
     * One action of the host.
     *
     * @param name {@code setDowntime}, {@code postcopy} or {@code abort}
     * @param parameters its parameters, as text
     */
    public record Action(String name, List<String> parameters) {

        /** Gives the migration up. */
        public static final Action ABORT = new Action("abort", List.of());

        /** Lets the VM run on the destination before its memory has arrived. */
        public static final Action POST_COPY = new Action("postcopy", List.of());

        public Action {
            parameters = List.copyOf(parameters);
        }

        /**
         * Allows the VM to stand still for this time.
         *
         * @param milliseconds at least 1
         */
        public static Action downtime(int milliseconds) {
            if (milliseconds < 1) {
                throw new IllegalArgumentException(
                        "a downtime is at least 1 ms, not " + milliseconds);
            }
            return new Action("setDowntime", List.of(Integer.toString(milliseconds)));
        }
    }

    /**
     * Action for a migration that makes no progress.
     *
     * @param limit number of stalls before it; −1 for every further one
     * @param action the action
     */
    public record Step(int limit, Action action) {

        public Step {
            if (limit < FOR_EVER) {
                throw new IllegalArgumentException(
                        "a number of stalls is at least 0, or -1 for every further one, not "
                                + limit);
            }
        }
    }
}
