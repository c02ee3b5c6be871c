package org.stillwater.core.analysis.host;

import java.util.Set;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.host.HostCondition;
import org.stillwater.core.host.HostStatus;

/**
 * Decides about a host (monitoring specification §3, §5): known state and fact in, next state and
 * decisions out. The class carries nothing out. The table {@link HostTransition} lists all changes
 * of status; the branches decide when they occur: {@link Answers} (§3.3, §3.8), {@link Silence}
 * (§3.4, §5.1), {@link Recovery} (§3.5), {@link Maintenance} (§3.7).
 */
public final class HostAnalysis {

    private HostAnalysis() {}

    /** Outcome of a fact. */
    public static HostOutcome decide(KnownHost known, HostFact fact, HostContext context) {
        HostDecisionBuilder builder = new HostDecisionBuilder(known, context);
        switch (fact) {
            case HostFact.CapabilitiesTold(Unfitness unfitness) ->
                    Answers.capabilities(builder, unfitness);
            case HostFact.RulesChanged(Unfitness unfitness) ->
                    Answers.rulesChanged(builder, unfitness);
            case HostFact.StatisticsTold(Set<String> interfacesDown) -> {
                Answers.statistics(builder, interfacesDown);
                Maintenance.check(builder);
            }
            case HostFact.Answered _ -> builder.watch = builder.watch.answered(builder.now());
            case HostFact.ContactFailed(HostFailure.Recovering _) -> Recovery.recovering(builder);
            case HostFact.ContactFailed(HostFailure failure) -> Silence.failed(builder, failure);
            case HostFact.TimePassed _ -> {
                Recovery.timePassed(builder);
                Maintenance.check(builder);
                Maintenance.rebootOver(builder);
            }
            case HostFact.Condemned(Unfitness unfitness) -> Answers.unfit(builder, unfitness);
            case HostFact.Maintain(String reason) -> Maintenance.order(builder, reason);
            case HostFact.Activate _ -> Maintenance.activate(builder);
            case HostFact.Withdraw(String reason) -> Maintenance.withdraw(builder, reason);
            case HostFact.Reboot _ -> Maintenance.reboot(builder);
            case HostFact.Fence(long episode) -> Maintenance.fence(builder, episode);
            case HostFact.Dump(long episode) -> Maintenance.dump(builder, episode);
            case HostFact.DumpOver _ -> Maintenance.dumpOver(builder);
            case HostFact.RebootFailed _ -> Maintenance.rebootFailed(builder);
        }
        return builder.outcome();
    }

    /**
     * Condition that the engine restores from a saved one after a start (monitoring specification
     * §5.3).
     */
    public static HostCondition recovered(HostCondition saved) {
        for (HostTransition transition :
                new HostTransition[] {
                    HostTransition.ENGINE_STARTED, HostTransition.ENGINE_STARTED_FORGIVING
                }) {
            if (transition.leaves(saved.status())) {
                return saved.with(transition.to());
            }
        }
        return saved;
    }

    /**
     * Whether a host may change its cluster, provided that no VM is on it: it is not watched, so
     * that it is held to the rules of its new cluster from the first answer on.
     */
    public static boolean isMovable(HostStatus status) {
        return switch (status) {
            case MAINTENANCE, DOWN, INSTALL_FAILED, PENDING_APPROVAL -> true;
            case UNASSIGNED,
                    UP,
                    NON_RESPONSIVE,
                    ERROR,
                    INSTALLING,
                    REBOOT,
                    PREPARING_FOR_MAINTENANCE,
                    NON_OPERATIONAL,
                    INITIALIZING,
                    CONNECTING,
                    INSTALLING_OS,
                    KDUMPING ->
                    false;
        };
    }

    /**
     * Whether a host may be removed (monitoring specification §5.4), provided that no VM is on it.
     */
    public static boolean isRemovable(HostStatus status) {
        return switch (status) {
            case NON_RESPONSIVE,
                    MAINTENANCE,
                    DOWN,
                    UNASSIGNED,
                    INSTALL_FAILED,
                    PENDING_APPROVAL,
                    NON_OPERATIONAL,
                    INSTALLING_OS ->
                    true;
            case UP,
                    ERROR,
                    INSTALLING,
                    REBOOT,
                    PREPARING_FOR_MAINTENANCE,
                    INITIALIZING,
                    CONNECTING,
                    KDUMPING ->
                    false;
        };
    }
}
