package org.stillwater.monitoring.host;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostHardware;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.VmReports;
import org.stillwater.monitoring.vm.VmManager;

/** A message to one host's thread. Everything else about the host happens on that thread. */
sealed interface HostMessage {

    /** An unrequested message of the host: their number is not limited, so only some may wait. */
    sealed interface Unasked extends HostMessage {
        /** Bytes that it holds while it waits. */
        default int sizeBytes() {
            return 0;
        }
    }

    record Event(VmReports reports) implements Unasked {
        @Override
        public int sizeBytes() {
            return reports.sizeBytes();
        }

        @Override
        public void discard() {
            reports.close();
        }
    }

    record MigrationProgressed(VmId vmId, int percent, @Nullable Long downtimeMillis)
            implements Unasked {}

    record NetworkChanged() implements Unasked {}

    record Malformed(String reason) implements Unasked {}

    /** The connection was opened or lost; it holds no resources. */
    sealed interface OfConnection extends HostMessage {}

    record Connected() implements OfConnection {}

    record Disconnected(HostFailure failure) implements OfConnection {}

    record PollAnswered(long number, HostAnswer<VmReports> answer) implements HostMessage {
        @Override
        public void discard() {
            if (answer instanceof HostAnswer.Success<VmReports>(VmReports reports)) {
                reports.close();
            }
        }
    }

    record CapabilitiesAnswered(long number, HostAnswer<HostCapabilities> answer)
            implements HostMessage {}

    record HardwareAnswered(long number, HostAnswer<HostHardware> answer) implements HostMessage {}

    record StatisticsAnswered(long number, HostAnswer<HostStatistics> answer)
            implements HostMessage {}

    /**
     * A VM's remains on this host are to be removed because the VM is wanted here.
     *
     * @param answer completed with the host's answer
     */
    record Clear(VmId vmId, CompletableFuture<HostAnswer<VmId>> answer) implements HostMessage {
        @Override
        public void discard() {
            answer.complete(
                    new HostAnswer.Failed<>(
                            new HostFailure.Unreachable("there is no connection to the host")));
        }
    }

    /** Another task for the host's thread. */
    record Run(String what, Runnable work) implements HostMessage {}

    /**
     * A VM's remains on this host are to be removed.
     *
     * @param fetchedNanos {@code fetchedNanos} of the report that led to it
     * @param polled whether it follows from more than an event of this host, which may concern
     *     remains that are already removed
     */
    record Destroy(VmId vmId, String why, long fetchedNanos, boolean polled)
            implements HostMessage {}

    /**
     * The host itself answered a command that it no longer has a VM.
     *
     * @param answeredNanos when
     */
    record Gone(VmId vmId, long answeredNanos) implements HostMessage {}

    /** All VMs of the host are to be requested outside the schedule. */
    record Poll() implements HostMessage {}

    record DestroyAnswered(VmId vmId, HostAnswer<VmId> answer) implements HostMessage {}

    /** A VM is free for which a report of this host was parked. */
    record Resume(VmManager vm) implements HostMessage {}

    record Refresh() implements HostMessage {}

    /** The requirements of the host's cluster have changed. */
    record RulesChanged() implements HostMessage {}

    /** A request to the host. */
    record Ordered(HostFact.Order order, CompletableFuture<OrderAnswer> answer)
            implements HostMessage {
        @Override
        public void discard() {
            answer.cancel(false);
        }
    }

    /**
     * A request to remove the host.
     *
     * @param inAnyStatus whether it need not be in maintenance
     */
    record Retire(boolean inAnyStatus, CompletableFuture<OrderAnswer> answer)
            implements HostMessage {
        @Override
        public void discard() {
            answer.cancel(false);
        }
    }

    /**
     * The host is defined otherwise.
     *
     * @param seen completed when readers see it
     */
    record Redefine(HostDefinition definition, CompletableFuture<HostDefinition> seen)
            implements HostMessage {
        @Override
        public void discard() {
            seen.cancel(false);
        }
    }

    record Stop() implements HostMessage {}

    /** The reports about VMs that a message carries; null for none. */
    static @Nullable VmReports reports(HostMessage message) {
        if (message instanceof Event(VmReports reports)) {
            return reports;
        }
        return message instanceof PollAnswered(_, HostAnswer.Success<VmReports>(VmReports reports))
                ? reports
                : null;
    }

    /** Frees the message's resources when it will not be handled. */
    default void discard() {}
}
