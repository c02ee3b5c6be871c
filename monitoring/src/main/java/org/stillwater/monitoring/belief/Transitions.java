package org.stillwater.monitoring.belief;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.Decision;
import org.stillwater.core.analysis.host.HostDecision;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.vm.Belief;
import org.stillwater.core.vm.BeliefCause;
import org.stillwater.core.vm.BeliefRule;
import org.stillwater.core.vm.DecisionKind;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.vm.VmState;

/** Rules for transitions: which changes count, and which values are recorded. Stateless. */
public final class Transitions {

    private Transitions() {}

    /**
     * Cause of a transition, such as a report.
     *
     * @param cause which kind
     * @param reporter the host that it is about; null for none
     * @param stampMillis the host's own stamp, {@link VmReport#NO_STAMP} without one
     */
    public record Because(BeliefCause cause, @Nullable HostId reporter, long stampMillis) {

        /** Without a stamp. */
        public static Because of(BeliefCause cause, @Nullable HostId reporter) {
            return new Because(cause, reporter, VmReport.NO_STAMP);
        }
    }

    /** Whether a VM went over: its status, its host or its destination differ. */
    public static boolean is(VmState before, VmState after) {
        VmPlacement from = before.placement();
        VmPlacement to = after.placement();
        return before.runtime().status() != after.runtime().status()
                || !Objects.equals(from.runOn(), to.runOn())
                || !Objects.equals(from.migratingTo(), to.migratingTo());
    }

    /**
     * A transition of a VM.
     *
     * @param before status before
     * @param after the state from then on
     * @param receivedNanos when its cause arrived, {@code nowNanos} without one
     * @param nowNanos when it was decided, on the same monotonic clock
     */
    public static Belief of(
            Because because,
            BeliefRule rule,
            VmStatus before,
            VmState after,
            int decided,
            Instant now,
            long receivedNanos,
            long nowNanos) {
        Instant at = Instant.ofEpochMilli(now.toEpochMilli());
        return new Belief(
                at,
                at.minusMillis(Math.max(0, (nowNanos - receivedNanos) / 1_000_000)),
                because.cause(),
                because.reporter(),
                because.stampMillis() == VmReport.NO_STAMP ? null : (Long) because.stampMillis(),
                rule,
                before.code(),
                after.runtime().status().code(),
                after.placement().runOn(),
                after.placement().migratingTo(),
                decided);
    }

    /** A transition of a host. */
    public static Belief of(
            HostId host,
            BeliefCause cause,
            BeliefRule rule,
            HostStatus before,
            HostStatus after,
            int decided,
            Instant now) {
        Instant at = Instant.ofEpochMilli(now.toEpochMilli());
        return new Belief(
                at, at, cause, host, null, rule, before.code(), after.code(), null, null, decided);
    }

    /** The bits of decisions about a VM. */
    public static int decided(List<Decision> decisions, HostId reporter) {
        int bits = 0;
        for (Decision decision : decisions) {
            bits |= bits(decision, reporter);
        }
        return bits;
    }

    private static int bits(Decision decision, HostId reporter) {
        return switch (decision) {
            case Decision.DestroyOnHost destroy ->
                    destroy.host().equals(reporter)
                            ? DecisionKind.DESTROY_HERE.mask()
                            : DecisionKind.DESTROY_ELSEWHERE.mask();
            case Decision.Contest _ -> DecisionKind.CONTEST.mask();
            case Decision.HearOthers _ -> DecisionKind.HEAR_OTHERS.mask();
            case Decision.Audit _ -> DecisionKind.AUDIT.mask();
            case Decision.Queue queue ->
                    switch (queue.work().kind()) {
                        case HA_RESTART -> DecisionKind.HA_RESTART.mask();
                        case COLD_REBOOT -> DecisionKind.COLD_REBOOT.mask();
                        case RERUN -> DecisionKind.RERUN.mask();
                        case RERUN_MIGRATION -> DecisionKind.RERUN_MIGRATION.mask();
                        case PROCESS_DOWN -> DecisionKind.PROCESS_DOWN.mask();
                    };
            case Decision.Tell tell ->
                    switch (tell.signal()) {
                        case RUN_SUCCEEDED, MIGRATION_SUCCEEDED ->
                                DecisionKind.COMMAND_SUCCEEDED.mask();
                        case COMMAND_DROPPED -> DecisionKind.COMMAND_DROPPED.mask();
                        case POWERING_UP, APPLICATIONS_CHANGED, MEMORY_UNPLUG_FORGOTTEN -> 0;
                    };
            case Decision.SaveExternalData _ -> DecisionKind.SAVE_EXTERNAL_DATA.mask();
            case Decision.RemoveJobs _, Decision.TakeInExternal _, Decision.NoteUnexpected _ -> 0;
        };
    }

    /** The bits of decisions about a host. */
    public static int decided(List<HostDecision> decisions) {
        int bits = 0;
        for (HostDecision decision : decisions) {
            bits |= bits(decision);
        }
        return bits;
    }

    private static int bits(HostDecision decision) {
        return switch (decision) {
            case HostDecision.Audit _ -> DecisionKind.AUDIT.mask();
            case HostDecision.Queue queue ->
                    switch (queue.work().kind()) {
                        case FENCE -> DecisionKind.FENCE.mask();
                        case EVACUATE, DRAIN -> DecisionKind.MOVE_VMS.mask();
                        case RESTART_LEASE_VMS -> DecisionKind.RESTART_LEASE_VMS.mask();
                    };
            case HostDecision.Tell _ -> 0;
            case HostDecision.Do step ->
                    switch (step.step()) {
                        case LOSE_VMS -> DecisionKind.LOSE_VMS.mask();
                        case CONNECT, DISCONNECT -> DecisionKind.CONNECTION.mask();
                        case ASK_CAPABILITIES, ASK_STATISTICS, POLL -> DecisionKind.ASK.mask();
                        case FORGET_STAMPS, FORGET_USAGE, FORGET_STORAGE -> 0;
                    };
        };
    }

    /** Cause that a fact about a host stands for. */
    public static BeliefCause cause(HostFact fact) {
        return switch (fact) {
            case HostFact.CapabilitiesTold _ -> BeliefCause.CAPABILITIES;
            case HostFact.RulesChanged _ -> BeliefCause.RULES;
            case HostFact.StatisticsTold _ -> BeliefCause.STATISTICS;
            case HostFact.Answered _ -> BeliefCause.ANSWER;
            case HostFact.ContactFailed _ -> BeliefCause.FAILURE;
            case HostFact.TimePassed _ -> BeliefCause.TIME;
            case HostFact.Condemned _, HostFact.Order _ -> BeliefCause.ORDER;
        };
    }
}
