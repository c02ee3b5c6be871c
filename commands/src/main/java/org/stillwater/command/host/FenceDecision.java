package org.stillwater.command.host;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.host.HostStatus;

/**
 * Chooses the next step for a host that is to be fenced (monitoring specification §3.6) from the
 * known facts. Pure: without calls and effects.
 */
final class FenceDecision {

    private FenceDecision() {}

    /**
     * Known facts about the host.
     *
     * @param status its status; null if the host was removed
     * @param episode its present outage
     * @param softFenced whether its agent may still be restarted
     */
    record Seen(@Nullable HostStatus status, long episode, boolean softFenced) {}

    /** Next step. */
    sealed interface Next {

        /** The host no longer needs fencing. */
        record Gone() implements Next {}

        /** It need not be fenced; with the reason, one clause for people. */
        record Stop(String why) implements Next {}

        /** Only its VMs are set to Down; the power is not switched. */
        record SetDown() implements Next {}

        /** It waits: until the host answers, or is found silent and may be fenced. */
        record Wait() implements Next {}

        /**
         * It is fenced.
         *
         * @param unlessHeld whether the policy may hold that back
         * @param listens whether a kernel dump is waited for first
         */
        record Fence(boolean unlessHeld, boolean listens) implements Next {}
    }

    /** How the host can be made sure of. */
    sealed interface Way {

        /** In no way; with the reason and the remedy, one sentence for people. */
        record None(String why) implements Way {}

        /** It is only reported which steps would be taken. */
        record DryRun(String result) implements Way {}

        /**
         * Its power is switched.
         *
         * @param by the device that switches it, for people
         * @param order the order to its monitor before that; it may refuse
         */
        record Switch(String by, HostFact.Order order) implements Way {}
    }

    /** Whether it is still to be done. */
    static Next next(FenceAttempt attempt, Seen host) {
        HostStatus status = host.status();
        if (status == null) {
            return new Next.Gone();
        }
        if (attempt.isConfirmed()) {
            return status.isInContact()
                    ? new Next.Stop("the host is in contact again")
                    : new Next.SetDown();
        }
        boolean automatic = attempt.isAutomatic();
        if (automatic && host.episode() != attempt.episode()) {
            return new Next.Stop("the host has come back, or was taken out of service");
        }
        if (attempt.isResumed() && status.isInContact()) {
            return new Next.Stop("the host has come back while the engine did not run");
        }
        // The status of these two does not change by itself: there is nothing to wait for.
        boolean unwatched = status == HostStatus.MAINTENANCE || status == HostStatus.DOWN;
        if (!automatic && (!attempt.isResumed() || unwatched)) {
            return new Next.Fence(false, false);
        }
        return status == HostStatus.NON_RESPONSIVE && !host.softFenced()
                ? new Next.Fence(automatic, automatic && !attempt.isDryRun())
                : new Next.Wait();
    }

    /**
     * How it is done.
     *
     * @param agents that may switch its power, in the order in which they are tried
     * @param vms how many VMs the host has
     */
    static Way way(FenceAttempt attempt, List<FenceAgent> agents, int vms) {
        if (agents.isEmpty()) {
            return new Way.None(
                    "it has no fence agent; define one, or switch it off by hand and confirm that"
                            + " it was rebooted");
        }
        String by =
                agents.stream().map(FenceAgent::toString).collect(Collectors.joining(", then "));
        if (attempt.isDryRun()) {
            return new Way.DryRun(
                    ("dry run: it would be switched off by %s, and %d VMs would be set down;"
                                    + " no power was switched")
                            .formatted(by, vms));
        }
        return new Way.Switch(
                by,
                attempt.isAutomatic()
                        ? new HostFact.Fence(attempt.episode())
                        : new HostFact.Reboot());
    }
}
