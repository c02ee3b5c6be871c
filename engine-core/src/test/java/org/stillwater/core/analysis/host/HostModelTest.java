package org.stillwater.core.analysis.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.stillwater.core.analysis.host.HostDecision.Signal;
import org.stillwater.core.analysis.host.HostDecision.Step;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.cluster.FencingPolicy;
import org.stillwater.core.cluster.MigrateOnError;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.host.HostCondition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.host.HostWorkKind;
import org.stillwater.core.host.NonOperationalReason;
import org.stillwater.core.id.HostId;

/**
 * Every history of one host of at most {@value #FULL_STEPS} events from a small alphabet, times
 * included; of at most {@value #USUAL_STEPS} in the ordinary suite. Histories that lead to the same
 * state are continued once.
 */
class HostModelTest {

    private static final int FULL_STEPS = 7;
    private static final int USUAL_STEPS = 6;
    private static final int MOST_STEPS =
            Boolean.getBoolean("stillwater.test.full") ? FULL_STEPS : USUAL_STEPS;
    private static final HostId HOST = new HostId(new UUID(0x1000, 1));
    private static final Unfitness UNFIT =
            new Unfitness(
                    NonOperationalReason.KVM_NOT_RUNNING,
                    AuditEvent.VDS_RUN_IN_NO_KVM_MODE,
                    Map.of());

    /** Possible events; time passes before each. */
    private enum Event {
        FITS(0, new HostFact.CapabilitiesTold(null)),
        DOES_NOT_FIT(0, new HostFact.CapabilitiesTold(UNFIT)),
        DEMANDED_LESS(0, new HostFact.RulesChanged(null)),
        DEMANDED_MORE(0, new HostFact.RulesChanged(UNFIT)),
        NUMBERS(0, new HostFact.StatisticsTold(Set.of())),
        INTERFACE_DOWN(0, new HostFact.StatisticsTold(Set.of("eth0"))),
        FAILS(0, new HostFact.ContactFailed(new HostFailure.Unreachable("reset"))),
        FAILS_LATER(40, new HostFact.ContactFailed(new HostFailure.TimedOut("call", 40_000))),
        RECOVERING(0, new HostFact.ContactFailed(new HostFailure.Recovering("finding VMs"))),
        A_MINUTE(61, new HostFact.TimePassed()),
        LONG(660, new HostFact.TimePassed()),
        MAINTAIN(0, new HostFact.Maintain(null)),
        ACTIVATE(0, new HostFact.Activate()),
        WITHDRAW(0, new HostFact.Withdraw("its pool has disabled it")),
        REBOOT(0, new HostFact.Reboot()),
        /** It reports a kernel dump, in any episode. */
        DUMPS(0, new HostFact.Dump(0)),
        DUMPED(0, new HostFact.DumpOver()),
        /** Its last VM leaves, and it reports this. */
        EMPTIED(0, new HostFact.StatisticsTold(Set.of())),
        /** The engine is started again; no fact of the host's. */
        ENGINE_STARTS(0, new HostFact.TimePassed());

        final long nanos;

        @SuppressWarnings("ImmutableEnumChecker") // facts are immutable records
        final HostFact fact;

        Event(int seconds, HostFact fact) {
            this.nanos = Duration.ofSeconds(seconds).toNanos();
            this.fact = fact;
        }
    }

    /**
     * Where a history has led; times of the watch are relative to now.
     *
     * @param drained whether no VM is left
     * @param fitTold whether it has reported since its last failure that it fits
     * @param fenced how often fencing was asked for in this watch and episode
     */
    private record State(
            HostCondition condition,
            HostWatch watch,
            boolean drained,
            boolean fitTold,
            int fenced) {}

    private final Map<State, List<Event>> seen = new HashMap<>();
    private final Set<HostTransition> taken = EnumSet.noneOf(HostTransition.class);

    @Test
    void noHistoryBreaksARuleAndEveryTransitionIsTaken() {
        Set<State> reached = new LinkedHashSet<>();
        for (HostStatus status :
                List.of(
                        HostStatus.UNASSIGNED,
                        HostStatus.UP,
                        HostStatus.ERROR,
                        HostStatus.DOWN,
                        HostStatus.INSTALLING,
                        HostStatus.INSTALL_FAILED)) {
            State start = new State(HostCondition.of(status), HostWatch.begin(0), false, false, 0);
            seen.put(start, List.of());
            reached.add(start);
        }
        for (int step = 1; step <= MOST_STEPS; step++) {
            Set<State> next = new LinkedHashSet<>();
            for (State state : reached) {
                for (Event event : Event.values()) {
                    State then = after(state, event);
                    if (!seen.containsKey(then)) {
                        List<Event> history = new ArrayList<>(seen.get(state));
                        history.add(event);
                        seen.put(then, history);
                        next.add(then);
                    }
                }
            }
            reached = next;
        }
        System.out.println("model of a host: " + seen.size() + " states");
        assertThat(seen).hasSizeGreaterThan(10_000);
        assertThat(taken).containsExactlyInAnyOrder(HostTransition.values());
        seen.keySet().forEach(this::neverStuck);
    }

    private State after(State state, Event event) {
        HostWatch watch = shifted(state.watch(), event.nanos);
        if (event == Event.ENGINE_STARTS) {
            HostCondition recovered = HostAnalysis.recovered(state.condition());
            check(state, event, state.condition(), recovered, List.of());
            return new State(recovered, HostWatch.begin(0), state.drained(), false, 0);
        }
        boolean drained = state.drained() || event == Event.EMPTIED;
        HostOutcome outcome =
                HostAnalysis.decide(
                        new KnownHost(HOST, state.condition(), watch),
                        event == Event.DUMPS
                                ? new HostFact.Dump(state.condition().episode())
                                : event.fact,
                        context(drained));
        HostCondition next = outcome.next().condition();
        if (outcome.refusal() != null) {
            require(
                    next.equals(state.condition()) && outcome.decisions().isEmpty(),
                    state,
                    event,
                    "an order that is refused changes something");
            return state;
        }
        List<HostDecision> decisions = outcome.decisions();
        check(state, event, state.condition(), next, decisions);
        boolean answered = next.status().isRefreshed() && !isBegun(event, state.condition(), next);
        boolean fitTold =
                switch (event) {
                    case FITS -> answered;
                    case DOES_NOT_FIT, FAILS, FAILS_LATER, RECOVERING -> false;
                    default -> state.fitTold() && answered;
                };
        boolean sameEpisode = next.episode() == state.condition().episode();
        int fenced =
                (sameEpisode && !isBegun(event, state.condition(), next) ? state.fenced() : 0)
                        + (int) works(decisions, HostWorkKind.FENCE).count();
        require(fenced <= 1, state, event, "fencing is asked for twice in an outage");
        require(
                !told(decisions, Signal.HOST_UP)
                        || (state.fitTold() && (event.fact instanceof HostFact.StatisticsTold)),
                state,
                event,
                "it is up before it told what it is and its numbers");
        return new State(next, outcome.next().watch(), drained, fitTold, fenced);
    }

    /** Whether watching began anew with this. */
    private static boolean isBegun(Event event, HostCondition before, HostCondition next) {
        return before.status() != next.status()
                && next.status() == HostStatus.UNASSIGNED
                && (event == Event.ACTIVATE
                        || before.status() == HostStatus.REBOOT
                        || before.status() == HostStatus.KDUMPING);
    }

    private void check(
            State state,
            Event event,
            HostCondition before,
            HostCondition after,
            List<HostDecision> decisions) {
        if (before.status() != after.status()) {
            HostStatus from = after.previous();
            if (from != before.status()) {
                // Numbers make it up and report an interface that was down for too long.
                follow(state, event, HostTransition.CONTACT_MADE, before.status(), from);
            }
            follow(state, event, causeOf(event, from, after), from, after.status());
        }
        require(
                (after.status() == HostStatus.NON_OPERATIONAL)
                        == (after.nonOperational() != NonOperationalReason.NONE),
                state,
                event,
                "it has a reason without being non-operational, or the other way round");
        boolean ordered = event.fact instanceof HostFact.Order;
        boolean leftAlone =
                before.status() == HostStatus.MAINTENANCE || before.status() == HostStatus.DOWN;
        require(
                !leftAlone || ordered || after.equals(before),
                state,
                event,
                "a host that is left alone changes without an order");
        require(
                !decisions.contains(new HostDecision.Do(Step.LOSE_VMS))
                        || after.status() == HostStatus.NON_RESPONSIVE
                        || !after.status().isRefreshed(),
                state,
                event,
                "its VMs are lost while it is not given up");
        require(
                told(decisions, Signal.HOST_LEFT_UP)
                                == (before.status() == HostStatus.UP
                                        && after.status() != HostStatus.UP)
                        || after.previous() != before.status(),
                state,
                event,
                "that it left up is not told when it does");
        works(decisions, HostWorkKind.EVACUATE)
                .forEach(work -> {
                    require(
                            before.status() != HostStatus.NON_OPERATIONAL
                                    && after.status() == HostStatus.NON_OPERATIONAL,
                            state,
                            event,
                            "its VMs leave although it did not just become non-operational");
                    require(
                            work.episode() == after.episode() && work.attempt() == 0,
                            state,
                            event,
                            "its VMs leave more than once in an episode");
                });
    }

    private void follow(
            State state, Event event, HostTransition cause, HostStatus from, HostStatus to) {
        require(
                cause.leaves(from) && cause.to() == to,
                state,
                event,
                "it went from " + from + " to " + to + ", which is not " + cause);
        taken.add(cause);
    }

    /** The transition that an event may have caused, by its kind and where it led. */
    private static HostTransition causeOf(Event event, HostStatus from, HostCondition after) {
        return switch (event) {
            case FITS, DEMANDED_LESS -> HostTransition.FIT_AGAIN;
            case DOES_NOT_FIT, DEMANDED_MORE -> HostTransition.UNFIT;
            case NUMBERS, INTERFACE_DOWN, EMPTIED ->
                    switch (after.status()) {
                        case UP -> HostTransition.CONTACT_MADE;
                        case NON_OPERATIONAL -> HostTransition.INTERFACE_DOWN;
                        default -> HostTransition.DRAINED;
                    };
            case FAILS, FAILS_LATER ->
                    after.status() == HostStatus.CONNECTING
                            ? HostTransition.CONTACT_LOST
                            : HostTransition.GIVEN_UP;
            case RECOVERING -> HostTransition.AGENT_RECOVERING;
            case A_MINUTE, LONG ->
                    switch (from) {
                        case INITIALIZING -> HostTransition.RECOVERY_TIMED_OUT;
                        case REBOOT, KDUMPING -> HostTransition.REBOOT_OVER;
                        default -> HostTransition.DRAINED;
                    };
            case MAINTAIN ->
                    after.status() == HostStatus.MAINTENANCE
                            ? HostTransition.MAINTENANCE_OF_SILENT
                            : HostTransition.MAINTENANCE_ORDERED;
            case WITHDRAW -> HostTransition.MAINTENANCE_ORDERED;
            case ACTIVATE -> HostTransition.ACTIVATED;
            case REBOOT -> HostTransition.REBOOT_ORDERED;
            case DUMPS -> HostTransition.DUMP_FOUND;
            case DUMPED -> HostTransition.DUMP_OVER;
            case ENGINE_STARTS ->
                    after.status() == HostStatus.UP
                            ? HostTransition.ENGINE_STARTED_FORGIVING
                            : HostTransition.ENGINE_STARTED;
        };
    }

    /** Wherever it is, it leaves when it answers, and is given up when it does not. */
    private void neverStuck(State state) {
        HostStatus status = state.condition().status();
        boolean contactable = HostTransition.CONTACT_MADE.leaves(status) && status != HostStatus.UP;
        if (contactable) {
            State answered = after(after(state, Event.FITS), Event.NUMBERS);
            require(
                    answered.condition().status() == HostStatus.UP
                            || !state.watch().interfacesDown().isEmpty(),
                    state,
                    Event.NUMBERS,
                    "it answers and is not up");
        }
        if (status == HostStatus.CONNECTING) {
            State silent = state;
            for (int i = 0; i < 3; i++) {
                silent = after(silent, Event.FAILS_LATER);
            }
            require(
                    silent.condition().status() == HostStatus.NON_RESPONSIVE,
                    state,
                    Event.FAILS_LATER,
                    "it does not answer and is still connecting");
        }
    }

    private static Stream<HostWork> works(List<HostDecision> decisions, HostWorkKind kind) {
        return decisions.stream()
                .filter(HostDecision.Queue.class::isInstance)
                .map(decision -> ((HostDecision.Queue) decision).work())
                .filter(work -> work.kind() == kind);
    }

    private static boolean told(List<HostDecision> decisions, Signal signal) {
        return decisions.contains(new HostDecision.Tell(signal));
    }

    private void require(boolean holds, State state, Event event, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise + ": " + seen.get(state) + ", then " + event);
        }
    }

    private static HostWatch shifted(HostWatch watch, long nanos) {
        Map<String, Long> interfaces = new HashMap<>();
        watch.interfacesDown().forEach((name, since) -> interfaces.put(name, since - nanos));
        return new HostWatch(
                watch.sinceNanos() - nanos,
                watch.failures(),
                watch.lastContactNanos() - nanos,
                watch.silentFailures(),
                watch.fit(),
                watch.fenced(),
                watch.fencingHeld(),
                watch.drainAskedNanos() - nanos,
                interfaces);
    }

    private static HostContext context(boolean drained) {
        return new HostContext(
                0,
                HostPolicy.DEFAULT,
                Duration.ofHours(1).toNanos(),
                drained ? 0 : 4,
                true,
                drained,
                false,
                true,
                FencingPolicy.DEFAULT,
                10,
                MigrateOnError.ALL);
    }
}
