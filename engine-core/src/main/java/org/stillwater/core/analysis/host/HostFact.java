package org.stillwater.core.analysis.host;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.HostFailure;

/** An event of a host, or a request to it. */
public sealed interface HostFact {

    /**
     * It reported its capabilities.
     *
     * @param unfitness why it may not run VMs by that, null if it may
     */
    record CapabilitiesTold(@Nullable Unfitness unfitness) implements HostFact {}

    /**
     * Its cluster's requirements have changed; the host itself has not.
     *
     * @param unfitness why it may not run VMs by that, null if it may
     */
    record RulesChanged(@Nullable Unfitness unfitness) implements HostFact {}

    /**
     * Its statistics arrived.
     *
     * @param requiredInterfacesDown interfaces of required, operational networks that are not up
     */
    record StatisticsTold(Set<String> requiredInterfacesDown) implements HostFact {
        public StatisticsTold {
            requiredInterfacesDown = Set.copyOf(requiredInterfacesDown);
        }
    }

    /** It gave another answer, even an error: it is reachable. */
    record Answered() implements HostFact {}

    /**
     * A contact failed.
     *
     * @param failure how
     */
    record ContactFailed(HostFailure failure) implements HostFact {}

    /** Time passed. */
    record TimePassed() implements HostFact {}

    /**
     * It is found unable to run VMs by another part, such as the one that connects its storage.
     *
     * @param unfitness why
     */
    record Condemned(Unfitness unfitness) implements HostFact {}

    /** A request of a user or a command; it may be refused. */
    sealed interface Order extends HostFact {}

    /**
     * It is to run no more VMs, and to be left alone afterwards.
     *
     * @param reason the user's reason, null for none
     */
    record Maintain(@Nullable String reason) implements Order {}

    /** It is to be watched and used again. */
    record Activate() implements Order {}

    /**
     * The pool that manages it has taken it out of service: the pool starts no further VMs there,
     * and decides about those that run.
     *
     * @param reason for people
     */
    record Withdraw(String reason) implements Order {}

    /** It is about to be stopped or restarted by power management. */
    record Reboot() implements Order {}

    /**
     * It is about to be switched off, because it does not respond: as {@link Reboot}, unless it has
     * come back meanwhile.
     *
     * @param episode the episode in which that was decided
     */
    record Fence(long episode) implements Order {}

    /**
     * It does not respond because it writes a kernel dump: it gets no requests until the dump is
     * over.
     *
     * @param episode the episode in which that was found
     */
    record Dump(long episode) implements Order {}

    /** It has written its kernel dump, and boots by itself. */
    record DumpOver() implements Order {}

    /**
     * It was not switched off after all, or its dump need not be awaited: it is to be watched again
     * at once.
     */
    record RebootFailed() implements Order {}
}
