package org.stillwater.core.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmCommands;
import org.stillwater.core.vm.VmCommands.InFlight;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;

/**
 * Every order of events in one migration: two hosts, one VM, at most six reports that reach the
 * engine, one lost, one doubled, one crash of either host, one poll that is requested early and
 * answered late. All reachable states are visited, breadth first, so that the history of a
 * violation is a shortest one.
 *
 * <p>The analysis is the real one. Around it stands the least of the shell that selects the
 * analysis's input: reports of one host in the order of its stamps; polls that were requested
 * before a change from another source are left out; a process is only destroyed once its
 * responsible host has reported the VM in a later poll.
 */
class MigrationModelTest {

    private static final int MOST_REPORTS = 6;
    private static final int MOST_TOLD = 5;
    private static final VmId VM = new VmId(1, 2);
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final VmStatic DEFINITION =
            new VmStatic("vm", VmOrigin.OVIRT, true, 1024, 1024, 1, 1, 1, List.of());

    private enum Side {
        SOURCE,
        DESTINATION;

        private static final HostId FIRST = new HostId(new UUID(0, 1));
        private static final HostId SECOND = new HostId(new UUID(0, 2));

        HostId host() {
            return this == SOURCE ? FIRST : SECOND;
        }

        Side other() {
            return this == SOURCE ? DESTINATION : SOURCE;
        }

        static Side of(HostId host) {
            return host.equals(SOURCE.host()) ? SOURCE : DESTINATION;
        }
    }

    /** The state of the VM on a host, which the host reports. */
    private enum Has {
        NOTHING('-', null, null),
        UP('u', VmStatus.UP, null),
        PAUSED('p', VmStatus.PAUSED, null),
        MIGRATING_FROM('f', VmStatus.MIGRATING_FROM, null),
        MIGRATING_TO('t', VmStatus.MIGRATING_TO, null),
        POST_COPY('c', VmStatus.PAUSED, null),
        ENDED_MIGRATED('M', null, ExitReason.MIGRATION_SUCCEEDED),
        ENDED_MIGRATION_FAILED('F', null, ExitReason.MIGRATION_FAILED),
        ENDED_POST_COPY_FAILED('C', null, ExitReason.POSTCOPY_MIGRATION_FAILED),
        ENDED('E', null, ExitReason.GENERIC_ERROR);

        private final char letter;
        private final VmStatus status;
        private final ExitReason exit;

        Has(char letter, VmStatus status, ExitReason exit) {
            this.letter = letter;
            this.status = status;
            this.exit = exit;
        }

        boolean isProcess() {
            return status != null;
        }

        char letter() {
            return letter;
        }

        VmReport report(VmRuntime known, boolean poll) {
            if (exit != null) {
                ExitStatus how =
                        exit == ExitReason.MIGRATION_SUCCEEDED
                                ? ExitStatus.NORMAL
                                : ExitStatus.ERROR;
                return new VmReport.Exited(VM, 1, how, exit, "");
            }
            if (status == null) {
                return new VmReport.Absent(VM);
            }
            VmRuntime.Draft draft = new VmRuntime.Draft();
            (poll ? draft.startPoll(known) : draft.startFrom(known))
                    .set(RuntimeField.STATUS, status)
                    .set(
                            RuntimeField.PAUSE_STATUS,
                            this == POST_COPY
                                    ? PauseStatus.POSTCOPY
                                    : this == PAUSED ? PauseStatus.EIO : PauseStatus.NONE);
            return new VmReport.Running(VM, 1, null, draft.build(), null);
        }
    }

    private enum Phase {
        BEFORE,
        COPYING,
        ARRIVED,
        POST_COPY,
        OVER
    }

    /**
     * The truth.
     *
     * @param home where the guest is executed, or would be if it were not paused; null for nowhere
     * @param crashed the host that crashed, if one did
     * @param back whether it has booted since
     */
    private record World(
            Has source, Has destination, Side home, Phase phase, Side crashed, boolean back) {

        Has of(Side side) {
            return side == Side.SOURCE ? source : destination;
        }

        World with(Side side, Has has) {
            return side == Side.SOURCE
                    ? new World(has, destination, home, phase, crashed, back)
                    : new World(source, has, home, phase, crashed, back);
        }

        World to(Phase next, Has onSource, Has onDestination, Side nextHome) {
            return new World(onSource, onDestination, nextHome, next, crashed, back);
        }

        boolean answers(Side side) {
            return crashed != side || back;
        }

        void addTo(StringBuilder key) {
            key.append(source.letter())
                    .append(destination.letter())
                    .append(State.letter(home))
                    .append(phase.name().charAt(0))
                    .append(State.letter(crashed))
                    .append(back);
        }
    }

    /** The engine's known state of the VM. */
    private record Belief(
            int number, VmRuntime runtime, VmPlacement placement, VmCommands commands) {

        VmStatus status() {
            return runtime.status();
        }

        boolean isRunning() {
            return !status().isNotRunning();
        }

        Side owner() {
            HostId host = placement.runOn();
            return host == null ? null : Side.of(host);
        }

        KnownVm known(List<VmClaim> claims) {
            return new KnownVm(VM, DEFINITION, runtime, placement, commands, false, claims);
        }

        /** A claim of a host other than the owner. */
        List<VmClaim> claims(Side claimant, Has claim) {
            return claim != null && claim.report(runtime, true) instanceof VmReport.Running seen
                    ? List.of(new VmClaim(claimant.host(), seen.runtime(), false))
                    : List.of();
        }
    }

    /**
     * The state of the shell. Changes and reports are counted instead of timed.
     *
     * @param changes how often the VM changed
     * @param changedBy whose report changed it last
     * @param sourceStamp stamp of the newest report of the source that was analysed
     * @param destinationStamp the same of the destination
     * @param silent the host that is known not to respond, if any
     * @param suspect the host that has a process which may be a leftover, if any
     * @param suspectSince how many reports there were when it was first seen
     * @param confirmed whether the responsible host has since reported the VM as running
     * @param claimant the host with a contested claim to run the VM, if any
     * @param claim its last report
     * @param claimedAt how many reports there were when it did
     */
    private record Shell(
            int changes,
            Side changedBy,
            int sourceStamp,
            int destinationStamp,
            Side silent,
            Side suspect,
            int suspectSince,
            boolean confirmed,
            Side claimant,
            Has claim,
            int claimedAt) {

        static final Shell FRESH = new Shell(0, null, 0, 0, null, null, 0, false, null, null, 0);

        int stamp(Side side) {
            return side == Side.SOURCE ? sourceStamp : destinationStamp;
        }

        Shell stamped(Side side, int stamp) {
            return new Shell(
                    changes,
                    changedBy,
                    side == Side.SOURCE ? stamp : sourceStamp,
                    side == Side.DESTINATION ? stamp : destinationStamp,
                    silent,
                    suspect,
                    suspectSince,
                    confirmed,
                    claimant,
                    claim,
                    claimedAt);
        }

        Shell changed(Side by) {
            return new Shell(
                    changes + 1,
                    by,
                    sourceStamp,
                    destinationStamp,
                    silent,
                    suspect,
                    suspectSince,
                    confirmed,
                    claimant,
                    claim,
                    claimedAt);
        }

        Shell missing(Side side) {
            return new Shell(
                    changes,
                    changedBy,
                    sourceStamp,
                    destinationStamp,
                    side,
                    suspect,
                    suspectSince,
                    confirmed,
                    claimant,
                    claim,
                    claimedAt);
        }

        Shell suspecting(Side side, int since, boolean word) {
            return new Shell(
                    changes,
                    changedBy,
                    sourceStamp,
                    destinationStamp,
                    silent,
                    side,
                    since,
                    word,
                    claimant,
                    claim,
                    claimedAt);
        }

        Shell claimed(Side side, Has has, int at) {
            return new Shell(
                    changes,
                    changedBy,
                    sourceStamp,
                    destinationStamp,
                    silent,
                    suspect,
                    suspectSince,
                    confirmed,
                    side,
                    has,
                    at);
        }
    }

    /** A report of a host. */
    private record Message(
            Side side,
            Has has,
            int stamp,
            boolean poll,
            int askedAtChange,
            int askedAtReport,
            Side home) {}

    /**
     * Messages between the hosts and the engine.
     *
     * @param underWay events, oldest first
     * @param early the answer of a poll that is under way
     * @param again an event that will come a second time
     * @param sourceClock the source's clock
     * @param destinationClock the destination's clock
     */
    private record Wire(
            List<Message> underWay,
            Message early,
            Message again,
            int sourceClock,
            int destinationClock) {

        static final Wire QUIET = new Wire(List.of(), null, null, 0, 0);

        int clock(Side side) {
            return side == Side.SOURCE ? sourceClock : destinationClock;
        }

        Wire ticking(Side side) {
            return new Wire(
                    underWay,
                    early,
                    again,
                    sourceClock + (side == Side.SOURCE ? 1 : 0),
                    destinationClock + (side == Side.DESTINATION ? 1 : 0));
        }

        Wire with(List<Message> messages) {
            return new Wire(List.copyOf(messages), early, again, sourceClock, destinationClock);
        }

        Wire withEarly(Message poll) {
            return new Wire(underWay, poll, again, sourceClock, destinationClock);
        }

        Wire withAgain(Message event) {
            return new Wire(underWay, early, event, sourceClock, destinationClock);
        }

        Wire without(Message event) {
            List<Message> rest = new ArrayList<>(underWay);
            rest.remove(event);
            return with(rest);
        }

        /** After a host's connection broke. */
        Wire cut(Side side) {
            return new Wire(
                    underWay.stream().filter(event -> event.side() != side).toList(),
                    early != null && early.side() == side ? null : early,
                    again != null && again.side() == side ? null : again,
                    sourceClock,
                    destinationClock);
        }
    }

    /** Faults that may still happen. */
    private record Luck(boolean mayLose, boolean mayDouble, boolean mayPollEarly) {}

    /**
     * Everything.
     *
     * @param told the hosts that have reported the VM as running, as far as analysed
     * @param reports how many reports have reached the engine
     * @param before the state that it came from, null for the first
     * @param action the action that led here
     */
    private record State(
            World world,
            Belief belief,
            Shell shell,
            Wire wire,
            Luck luck,
            Set<Side> told,
            int reports,
            State before,
            String action) {

        State with(World next) {
            return new State(next, belief, shell, wire, luck, told, reports, before, action);
        }

        State with(Belief next) {
            return new State(world, next, shell, wire, luck, told, reports, before, action);
        }

        State with(Shell next) {
            return new State(world, belief, next, wire, luck, told, reports, before, action);
        }

        State with(Wire next) {
            return new State(world, belief, shell, next, luck, told, reports, before, action);
        }

        State with(Luck next) {
            return new State(world, belief, shell, wire, next, told, reports, before, action);
        }

        State telling(Set<Side> next) {
            return new State(world, belief, shell, wire, luck, next, reports, before, action);
        }

        State counted() {
            return new State(world, belief, shell, wire, luck, told, reports + 1, before, action);
        }

        State by(String what) {
            return new State(world, belief, shell, wire, luck, told, reports, this, what);
        }

        /** Equal for states that lead to the same: counts only matter by how they compare. */
        String key() {
            StringBuilder key = new StringBuilder(48);
            List<Message> messages = new ArrayList<>(wire.underWay());
            messages.add(wire.early());
            messages.add(wire.again());
            world.addTo(key);
            key.append((char) belief.number()).append(letter(shell.changedBy()));
            for (Side side : Side.values()) {
                key.append(rank(shell.stamp(side), side, messages))
                        .append(rank(wire.clock(side), side, messages));
            }
            Message early = wire.early();
            key.append(letter(shell.silent()))
                    .append(letter(shell.suspect()))
                    .append(letter(shell.claimant()))
                    .append(shell.claim() == null ? '-' : shell.claim().letter())
                    .append(shell.confirmed() ? '+' : '-')
                    .append(luck.mayLose() ? '+' : '-')
                    .append(luck.mayDouble() ? '+' : '-')
                    .append(luck.mayPollEarly() ? '+' : '-')
                    .append(told.contains(Side.SOURCE) ? '+' : '-')
                    .append(told.contains(Side.DESTINATION) ? '+' : '-')
                    .append(early != null && shell.changes() > early.askedAtChange() ? '+' : '-')
                    .append(early != null && isAskedAfterSuspicion(early) ? '+' : '-')
                    .append(early != null && isAskedAfterClaim(early) ? '+' : '-');
            for (Message message : messages) {
                key.append('|');
                if (message != null) {
                    key.append(letter(message.side()))
                            .append(message.has().letter())
                            .append(rank(message.stamp(), message.side(), messages));
                    if (message.has() == Has.NOTHING) {
                        key.append(letter(message.home()));
                    }
                }
            }
            return key.toString();
        }

        private boolean isAskedAfterSuspicion(Message poll) {
            return shell.suspect() != null && poll.askedAtReport() > shell.suspectSince();
        }

        private boolean isAskedAfterClaim(Message poll) {
            return shell.claimant() != null && poll.askedAtReport() > shell.claimedAt();
        }

        /** How many stamps of a host are smaller, of those that can still be compared. */
        private char rank(int stamp, Side side, List<Message> messages) {
            int smaller = shell.stamp(side) < stamp ? 1 : 0;
            smaller += wire.clock(side) < stamp ? 1 : 0;
            for (Message message : messages) {
                if (message != null && message.side() == side && message.stamp() < stamp) {
                    smaller++;
                }
            }
            return (char) ('0' + smaller);
        }

        private static char letter(Side side) {
            return side == null ? '-' : side == Side.SOURCE ? 'S' : 'D';
        }
    }

    /** The result of the analysis for a known state and a report. */
    private record Question(
            int belief,
            Has has,
            boolean poll,
            Side reporter,
            Side silent,
            boolean overdue,
            Side claimant,
            Has claim) {}

    private final Map<Question, VmOutcome> answers = new HashMap<>();
    private final Map<List<Object>, Belief> beliefs = new HashMap<>();
    private final Set<String> visited = new HashSet<>();
    private final List<Deque<State>> waiting = new ArrayList<>();
    private final Set<String> converged = new HashSet<>();
    private final List<String> violations = new ArrayList<>();
    private boolean destinationKnown;

    /** Whether the last analysed report is a contested claim. */
    private boolean contests;

    @Test
    @DisplayName("every order of a migration that the engine ordered")
    void noOrderOfAnOrderedMigrationShowsARunningVmAsDown() {
        destinationKnown = true;
        explore(
                VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.MIGRATING_FROM),
                VmPlacement.on(Side.SOURCE.host()).withMigratingTo(Side.DESTINATION.host()),
                new VmCommands(InFlight.MIGRATE, false, false));
    }

    @Test
    @DisplayName("every order of events of a migration outside the engine")
    void noOrderOfAMigrationBehindTheEnginesBackShowsARunningVmAsDown() {
        destinationKnown = false;
        explore(
                VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.UP),
                VmPlacement.on(Side.SOURCE.host()),
                VmCommands.NONE);
    }

    private void explore(VmRuntime runtime, VmPlacement placement, VmCommands commands) {
        World before = new World(Has.UP, Has.NOTHING, Side.SOURCE, Phase.BEFORE, null, false);
        State first =
                new State(
                        before,
                        belief(runtime, placement, commands),
                        Shell.FRESH,
                        Wire.QUIET,
                        new Luck(true, true, true),
                        Set.of(Side.SOURCE),
                        0,
                        null,
                        "the beginning");
        if (destinationKnown) {
            // The command that ordered it holds the VM's lock until the source has begun.
            first = say(first, futures(before).getFirst());
        }
        for (int i = 0; i <= MOST_REPORTS; i++) {
            waiting.add(new ArrayDeque<>());
        }
        visit(first);
        // Each successor of a state is first reached with the fewest reports.
        for (Deque<State> queue : waiting) {
            while (!queue.isEmpty() && violations.size() < MOST_TOLD) {
                State present = queue.remove();
                converges(present);
                steps(present);
            }
        }
        System.out.printf(
                "migration model, destination %s: %d states visited, %d beliefs, %d questions%n",
                destinationKnown ? "known" : "unknown",
                visited.size(),
                beliefs.size(),
                answers.size());
        assertThat(violations).isEmpty();
        assertThat(visited).as("states visited").hasSizeGreaterThan(10_000);
    }

    private void visit(State state) {
        if (visited.add(state.key())) {
            waiting.get(state.reports()).add(state);
        }
    }

    private Belief belief(VmRuntime runtime, VmPlacement placement, VmCommands commands) {
        return beliefs.computeIfAbsent(
                List.of(runtime, placement, commands),
                _ -> new Belief(beliefs.size(), runtime, placement, commands));
    }

    // ------------------------------------------------------------------------------------- actions

    private void steps(State state) {
        World world = state.world();
        for (World next : futures(world)) {
            visit(say(state.by("truth: " + next), next));
        }
        for (Side side : Side.values()) {
            if (world.crashed() == null) {
                State crash = state.by(side + " crashes");
                visit(say(crash.with(state.wire().cut(side)), crashed(world, side)));
            } else if (world.crashed() == side && !world.back()) {
                visit(boot(state.by(side + " boots"), side));
                if (state.shell().silent() != side) {
                    visit(lose(state.by(side + " is declared silent"), side));
                }
            }
        }
        if (state.reports() < MOST_REPORTS) {
            for (Side side : Side.values()) {
                events(state, side);
                polls(state, side);
            }
            Wire wire = state.wire();
            if (wire.again() != null) {
                State come = state.by("again: " + wire.again()).with(wire.withAgain(null));
                visit(deliver(come, wire.again()));
            }
            if (wire.early() != null) {
                State come = state.by("late: " + wire.early()).with(wire.withEarly(null));
                visit(deliver(come, wire.early()));
            }
        }
    }

    private void events(State state, Side side) {
        for (Message event : state.wire().underWay()) {
            if (event.side() == side) {
                Wire rest = state.wire().without(event);
                Luck luck = state.luck();
                visit(deliver(state.by("event: " + event).with(rest), event));
                if (luck.mayLose()) {
                    visit(
                            state.by("lost: " + event)
                                    .with(rest)
                                    .with(new Luck(false, luck.mayDouble(), luck.mayPollEarly())));
                }
                if (luck.mayDouble()) {
                    visit(
                            deliver(
                                    state.by("event, to come again: " + event)
                                            .with(rest.withAgain(event))
                                            .with(
                                                    new Luck(
                                                            luck.mayLose(),
                                                            false,
                                                            luck.mayPollEarly())),
                                    event));
                }
                return; // one connection delivers in order
            }
        }
    }

    private void polls(State state, Side side) {
        if (!state.world().answers(side)) {
            return;
        }
        Luck luck = state.luck();
        State asked = state.with(state.wire().ticking(side));
        Message answer = snapshot(asked, side);
        visit(deliver(asked.by("poll: " + answer), answer));
        if (luck.mayPollEarly()) {
            visit(
                    asked.by("poll, to be answered late: " + answer)
                            .with(asked.wire().withEarly(answer))
                            .with(new Luck(luck.mayLose(), luck.mayDouble(), false)));
        }
    }

    private static Message snapshot(State state, Side side) {
        return new Message(
                side,
                state.world().of(side),
                state.wire().clock(side),
                true,
                state.shell().changes(),
                state.reports(),
                state.world().home());
    }

    /** Possible successors of the truth without a crash. */
    private static List<World> futures(World world) {
        if (world.crashed() != null) {
            return List.of();
        }
        return switch (world.phase()) {
            case BEFORE ->
                    List.of(
                            world.to(
                                    Phase.COPYING,
                                    Has.MIGRATING_FROM,
                                    Has.MIGRATING_TO,
                                    Side.SOURCE));
            case COPYING ->
                    List.of(
                            world.to(Phase.ARRIVED, Has.MIGRATING_FROM, Has.UP, Side.DESTINATION),
                            world.to(
                                    Phase.ARRIVED,
                                    Has.MIGRATING_FROM,
                                    Has.PAUSED,
                                    Side.DESTINATION),
                            world.to(
                                    Phase.POST_COPY,
                                    Has.POST_COPY,
                                    Has.MIGRATING_TO,
                                    Side.DESTINATION),
                            world.to(Phase.OVER, Has.UP, Has.ENDED_MIGRATION_FAILED, Side.SOURCE),
                            world.to(Phase.OVER, Has.UP, Has.NOTHING, Side.SOURCE),
                            world.to(Phase.OVER, Has.ENDED, Has.ENDED_MIGRATION_FAILED, null),
                            world.to(Phase.OVER, Has.ENDED, Has.NOTHING, null));
            case ARRIVED ->
                    List.of(
                            world.to(
                                    Phase.OVER,
                                    Has.ENDED_MIGRATED,
                                    world.destination(),
                                    Side.DESTINATION));
            case POST_COPY ->
                    List.of(
                            world.to(Phase.OVER, Has.ENDED_MIGRATED, Has.UP, Side.DESTINATION),
                            world.to(
                                    Phase.OVER,
                                    Has.ENDED_POST_COPY_FAILED,
                                    Has.ENDED_POST_COPY_FAILED,
                                    null));
            case OVER ->
                    world.home() == Side.DESTINATION && world.destination() == Has.UP
                            ? List.of(world.to(Phase.OVER, world.source(), Has.ENDED, null))
                            : List.of();
        };
    }

    private static World crashed(World world, Side side) {
        World gone = world.with(side, Has.NOTHING);
        World next =
                switch (world.phase()) {
                    case BEFORE, OVER -> gone;
                    case COPYING ->
                            side == Side.SOURCE
                                    ? gone.with(Side.DESTINATION, Has.ENDED_MIGRATION_FAILED)
                                    : gone.with(Side.SOURCE, Has.UP);
                    case ARRIVED ->
                            side == Side.SOURCE ? gone : gone.with(Side.SOURCE, Has.ENDED_MIGRATED);
                    case POST_COPY -> gone.with(side.other(), Has.ENDED_POST_COPY_FAILED);
                };
        boolean guestLost = world.home() == side || world.phase() == Phase.POST_COPY;
        return new World(
                next.source(),
                next.destination(),
                guestLost ? null : world.home(),
                Phase.OVER,
                side,
                false);
    }

    private static State boot(State state, Side side) {
        World world = state.world();
        World back =
                new World(
                        world.source(),
                        world.destination(),
                        world.home(),
                        world.phase(),
                        side,
                        true);
        // The engine learns of the boot when it connects: stamps of the former one are void.
        Shell shell = state.shell().stamped(side, 0);
        return state.with(back)
                .with(shell.claimant() == side ? shell.claimed(null, null, 0) : shell);
    }

    /** The hosts with a change report it. */
    private static State say(State state, World next) {
        Wire wire = state.wire();
        for (Side side : Side.values()) {
            Has has = next.of(side);
            if (has != state.world().of(side) && has != Has.NOTHING && next.answers(side)) {
                wire = wire.ticking(side);
                List<Message> messages = new ArrayList<>(wire.underWay());
                messages.add(new Message(side, has, wire.clock(side), false, 0, 0, next.home()));
                wire = wire.with(messages);
            }
        }
        return state.with(wire).with(next);
    }

    // ------------------------------------------------------------------------------- the engine

    private State lose(State state, Side side) {
        State missing = state.with(state.shell().missing(side));
        if (state.belief().owner() != side) {
            return missing;
        }
        VmOutcome outcome =
                VmAnalysis.hostLost(state.belief().known(List.of()), context(side, side, false));
        return carryOut(missing, side, outcome, null);
    }

    private static AnalysisContext context(Side reporter, Side silent, boolean overdue) {
        return new AnalysisContext(
                reporter.host(),
                NOW,
                host -> silent != null && host.equals(silent.host()),
                host -> silent != null && host.equals(silent.host()),
                overdue);
    }

    private VmOutcome decide(Belief belief, Message message, Shell shell, boolean overdue) {
        Side silent = shell.silent();
        Side claimant = shell.claimant() == message.side() ? null : shell.claimant();
        Has claim = claimant == null ? null : shell.claim();
        Question question =
                new Question(
                        belief.number(),
                        message.has(),
                        message.poll(),
                        message.side(),
                        silent,
                        overdue,
                        claimant,
                        claim);
        return answers.computeIfAbsent(
                question,
                _ ->
                        VmAnalysis.decide(
                                belief.known(belief.claims(claimant, claim)),
                                message.has().report(belief.runtime(), message.poll()),
                                context(message.side(), silent, overdue)));
    }

    private State deliver(State state, Message message) {
        return analyse(state, message, false).counted();
    }

    /** The hosts that reported the VM as running, and still do. */
    private static Set<Side> toldAfter(State state, Message message) {
        Set<Side> told = new HashSet<>(state.told());
        boolean runs =
                message.has().isProcess()
                        && message.has() != Has.MIGRATING_TO
                        && message.has() != Has.POST_COPY
                        && message.has() != Has.PAUSED;
        if (runs) {
            told.add(message.side());
        } else {
            told.remove(message.side());
        }
        return Set.copyOf(told);
    }

    private State analyse(State state, Message message, boolean overdue) {
        Side side = message.side();
        Shell shell = state.shell();
        if (message.poll() && shell.silent() == side) {
            shell = shell.missing(null);
        }
        boolean changedSince = message.poll() && shell.changes() > message.askedAtChange();
        if (message.has() == Has.NOTHING) {
            if (shell.claimant() == side && message.askedAtReport() > shell.claimedAt()) {
                shell = shell.claimed(null, null, 0);
            }
            if (changedSince || state.belief().owner() != side) {
                return state.with(shell);
            }
        } else {
            boolean overtaken = message.stamp() < shell.stamp(side);
            boolean laterWordOfTheChanger =
                    shell.changedBy() == side && message.stamp() > shell.stamp(side);
            if (overtaken) {
                return state.with(shell);
            }
            if (changedSince && !laterWordOfTheChanger) {
                // It does not concern the known state, but orders the reports of its host.
                return state.with(shell.stamped(side, message.stamp()));
            }
            shell = shell.stamped(side, message.stamp());
        }
        State next =
                carryOut(
                        state.with(shell).telling(toldAfter(state, message)),
                        side,
                        decide(state.belief(), message, shell, overdue),
                        message);
        next = next.with(claimed(next, message));
        return next.with(confirmed(next, message));
    }

    /** A claim stands until its host reports otherwise or is responsible, or the VM is down. */
    private Shell claimed(State state, Message message) {
        Shell shell = state.shell();
        Side owner = state.belief().owner();
        boolean over = owner == null || owner == shell.claimant();
        boolean contested =
                contests
                        || (shell.claimant() == message.side()
                                && message.has() == Has.MIGRATING_FROM);
        boolean repeated = owner != message.side() && contested;
        if (owner != null && repeated) {
            return shell.claimed(message.side(), message.has(), state.reports());
        }
        return over || shell.claimant() == message.side() ? shell.claimed(null, null, 0) : shell;
    }

    /**
     * A process is a leftover once the responsible host reports the VM as running in a later poll.
     */
    private static Shell confirmed(State state, Message message) {
        Shell shell = state.shell();
        boolean wordOfTheOwner =
                message.poll()
                        && state.belief().owner() == message.side()
                        && message.has().isProcess()
                        && message.has() != Has.MIGRATING_FROM;
        if (!wordOfTheOwner || shell.suspect() == null) {
            return shell;
        }
        if (shell.suspect() == message.side()) {
            return shell.suspecting(null, 0, false);
        }
        return message.askedAtReport() > shell.suspectSince()
                ? shell.suspecting(shell.suspect(), shell.suspectSince(), true)
                : shell;
    }

    private State carryOut(State state, Side reporter, VmOutcome outcome, Message message) {
        contests = false;
        if (!(outcome instanceof VmOutcome.Change change)) {
            return state;
        }
        State next = state.with(belief(change.runtime(), change.placement(), change.commands()));
        if (change.changesState()) {
            next = next.with(next.shell().changed(reporter));
        }
        check(next, state.belief(), message);
        for (Decision decision : change.decisions()) {
            if (decision instanceof Decision.DestroyOnHost destroy) {
                next = destroy(next, destroy);
            }
            contests |= decision instanceof Decision.Contest;
        }
        return next;
    }

    private State destroy(State state, Decision.DestroyOnHost destroy) {
        Side side = Side.of(destroy.host());
        Shell shell = state.shell();
        if (destroy.hasProcess() && !(shell.suspect() == side && shell.confirmed())) {
            return shell.suspect() == side
                    ? state
                    : state.with(shell.suspecting(side, state.reports(), false));
        }
        World world = state.world();
        if (world.home() == side && world.of(side).isProcess()) {
            violation("the VM itself is destroyed on " + side, state);
        }
        return state.with(world.with(side, Has.NOTHING));
    }

    // ------------------------------------------------------------------------------- the rules

    private void check(State state, Belief before, Message message) {
        Belief after = state.belief();
        if (after.isRunning() != (after.owner() != null)) {
            violation("shown as " + after.status() + " on " + after.owner(), state);
        }
        Side home = state.world().home();
        if (before.isRunning() && !after.isRunning() && home != null) {
            boolean nobodySaidWhere = !destinationKnown && !state.told().contains(home);
            boolean gone = message != null && message.has() == Has.NOTHING;
            boolean saidBeforeItMoved = message != null && gone && message.home() != home;
            if (!(nobodySaidWhere && gone) && !saidBeforeItMoved) {
                violation(before.status() + " on " + before.owner() + " is shown as down", state);
            }
        }
    }

    /**
     * From here, one truthful poll of each host leads to the truth, in any order of the answers.
     */
    private void converges(State state) {
        String present =
                state.with(Wire.QUIET)
                        .with(new Luck(false, false, false))
                        .with(state.shell().stamped(Side.SOURCE, 0).stamped(Side.DESTINATION, 0))
                        .key();
        if (!converged.add(present)) {
            return;
        }
        for (Side first : Side.values()) {
            State end = state;
            if (end.world().crashed() != null && !end.world().back()) {
                end = boot(end, end.world().crashed());
            }
            for (Side side : List.of(first, first.other())) {
                end = pollOnce(end, side, false);
            }
            boolean handedBack = end.belief().owner() == first;
            boolean claimed = end.shell().claimant() != null;
            if (end.shell().suspect() != null || handedBack || claimed) {
                // A host that became responsible, or was set aside until the other was heard, is
                // asked again at once.
                end = pollOnce(end, first, false);
            }
            agrees(end, first);
        }
    }

    private State pollOnce(State state, Side side, boolean overdue) {
        State asked = state.with(state.wire().ticking(side));
        Message answer = snapshot(asked, side);
        return analyse(asked.by("in the end: " + answer), answer, overdue).counted();
    }

    private void agrees(State end, Side first) {
        World world = end.world();
        Belief engine = end.belief();
        String how = ", after polls of both, " + first + " first";
        if (world.home() == null) {
            boolean unseen = engine.status() == VmStatus.UNKNOWN;
            if (unseen) {
                for (Side side : Side.values()) {
                    end = pollOnce(end, side, true);
                }
            }
            if (end.belief().isRunning()) {
                violation("ended, but shown as " + end.belief().status() + how, end);
            }
            return;
        }
        Has has = world.of(world.home());
        boolean asItIs = engine.owner() == world.home() && engine.status() == has.status;
        boolean underWay = world.phase() == Phase.ARRIVED || has == Has.MIGRATING_TO;
        boolean right = asItIs;
        if (underWay && !destinationKnown) {
            right = engine.isRunning();
        } else if (has == Has.MIGRATING_TO) {
            right = engine.isRunning() && engine.owner() == world.home();
        }
        if (!right) {
            violation("shown as " + engine.status() + " on " + engine.owner() + how, end);
        }
    }

    private void violation(String what, State state) {
        List<String> history = new ArrayList<>();
        for (State at = state; at != null; at = at.before()) {
            history.addFirst(at.action());
        }
        violations.add(
                what
                        + "\n  truth: "
                        + state.world()
                        + "\n  history: "
                        + String.join("\n    ", history));
    }
}
