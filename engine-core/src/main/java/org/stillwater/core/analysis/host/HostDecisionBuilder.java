package org.stillwater.core.analysis.host;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.host.HostCondition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.host.HostWorkKind;
import org.stillwater.core.host.NonOperationalReason;

/**
 * Collects the outcome of one analysis of a host: its next state and the decisions, in order. It
 * records decisions and makes none. Not shared between analyses.
 */
final class HostDecisionBuilder {

    final KnownHost known;
    final HostContext context;

    HostCondition condition;
    HostWatch watch;
    private final List<HostDecision> decisions = new ArrayList<>(4);
    private @Nullable String refusal;
    private List<HostTransition> transitions = List.of();

    HostDecisionBuilder(KnownHost known, HostContext context) {
        this.known = known;
        this.context = context;
        this.condition = known.condition();
        this.watch = known.watch();
    }

    HostStatus status() {
        return condition.status();
    }

    long now() {
        return context.nowNanos();
    }

    boolean can(HostTransition transition) {
        return transition.leaves(status());
    }

    /** Whether the host has had its status for at least this long. */
    boolean hasStood(Duration time) {
        return now() - watch.sinceNanos() >= time.toNanos();
    }

    /** Takes the transition, which must be possible from here. */
    void take(HostTransition transition) {
        if (!can(transition)) {
            throw new IllegalStateException(transition + " does not leave " + status());
        }
        HostStatus before = status();
        condition = condition.with(transition.to());
        transitions = plus(transition);
        arrived(before);
    }

    /** Takes a transition to non-operational for this reason. */
    void take(HostTransition transition, NonOperationalReason reason) {
        if (!can(transition) || transition.to() != HostStatus.NON_OPERATIONAL) {
            throw new IllegalStateException(transition + " from " + status() + " for " + reason);
        }
        HostStatus before = status();
        condition = condition.nonOperational(reason);
        transitions = plus(transition);
        arrived(before);
    }

    private List<HostTransition> plus(HostTransition transition) {
        List<HostTransition> all = new ArrayList<>(transitions);
        all.add(transition);
        return all;
    }

    private void arrived(HostStatus before) {
        watch = watch.since(now());
        if (before == HostStatus.UP) {
            tell(HostDecision.Signal.HOST_LEFT_UP);
            run(HostDecision.Step.FORGET_STORAGE);
        }
        if (before == HostStatus.NON_RESPONSIVE
                && status() != HostStatus.UP
                && status() != HostStatus.REBOOT
                && status() != HostStatus.KDUMPING) {
            endEpisode(); // it answers, or people took it out of service: it must not be fenced
        }
        switch (status()) {
            case NON_RESPONSIVE -> run(HostDecision.Step.FORGET_USAGE);
            case DOWN, MAINTENANCE, REBOOT, KDUMPING -> {
                run(HostDecision.Step.FORGET_USAGE);
                if (context.vms() > 0) {
                    run(HostDecision.Step.LOSE_VMS); // the host is no longer polled for them
                }
            }
            case NON_OPERATIONAL -> {
                if (context.vms() == 0) {
                    run(HostDecision.Step.FORGET_USAGE);
                }
            }
            case UNASSIGNED,
                    UP,
                    ERROR,
                    INSTALLING,
                    INSTALL_FAILED,
                    PREPARING_FOR_MAINTENANCE,
                    PENDING_APPROVAL,
                    INITIALIZING,
                    CONNECTING,
                    INSTALLING_OS -> {
                // Its numbers still mean something, or there are none.
            }
        }
    }

    /** Ends the episode, and with it the work that was left to commands. */
    void endEpisode() {
        condition = condition.inNextEpisode();
        watch = watch.withSilentFailures(0).withFencing(false, null);
    }

    void audit(AuditEvent event) {
        audit(event, Map.of());
    }

    void audit(AuditEvent event, Map<String, String> details) {
        decisions.add(new HostDecision.Audit(event, details));
    }

    void tell(HostDecision.Signal signal) {
        decisions.add(new HostDecision.Tell(signal));
    }

    void run(HostDecision.Step step) {
        decisions.add(new HostDecision.Do(step));
    }

    /** Queues work that commands do once in an episode. */
    void queueOnce(HostWorkKind kind, String why) {
        decisions.add(
                new HostDecision.Queue(
                        new HostWork(known.id(), kind, condition.episode(), 0, why)));
    }

    /** Queues work that commands repeat until it has its effect. */
    void queueAgain(HostWorkKind kind, String why) {
        condition = condition.withAttempt();
        decisions.add(
                new HostDecision.Queue(
                        new HostWork(
                                known.id(), kind, condition.episode(), condition.attempts(), why)));
    }

    /** The order is not followed. */
    void refuse(String why) {
        refusal = why;
    }

    HostOutcome outcome() {
        if (refusal != null) {
            return new HostOutcome(known, List.of(), refusal);
        }
        boolean same = condition.equals(known.condition());
        return new HostOutcome(
                new KnownHost(known.id(), same ? known.condition() : condition, watch),
                decisions,
                null,
                transitions);
    }
}
