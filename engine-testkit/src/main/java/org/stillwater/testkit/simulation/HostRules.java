package org.stillwater.testkit.simulation;

import static org.stillwater.testkit.simulation.Rules.require;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.stillwater.core.analysis.host.HostAnalysis;
import org.stillwater.core.analysis.host.HostPolicy;
import org.stillwater.core.analysis.host.HostTransition;
import org.stillwater.core.host.HostCondition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.host.HostWorkKind;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.OpenHostWork;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.testkit.memory.InMemoryHostStore;

/** Rules for the statuses of hosts and for their work that is left to commands. */
final class HostRules {

    /**
     * Changes of one host's status of which one reading of the engine may have missed all but the
     * last.
     */
    private static final int MOST_AT_ONCE = 3;

    /** Observations of one host, over all lives of the engine. */
    private static final class Seen {
        HostStatus status = HostStatus.UNASSIGNED;
        boolean answeredSinceOutage = true;
        int outages;

        /** For how long it has been connecting without an answer, as far as the engine looked. */
        long silentNanos;

        /** Whether its connection stood meanwhile, so that calls had to run into their deadline. */
        boolean stood;

        int vms;

        /** For how long VMs are shown as known without a poll, as the engine looked. */
        long unaskedNanos;

        final Set<HostWork.Key> fences = new HashSet<>();
    }

    private static final HostPolicy POLICY = HostPolicy.DEFAULT;
    private static final Duration DEADLINE = Duration.ofMinutes(4);

    /** Time that the engine may need to notice due work. */
    private static final Duration SLACK = Duration.ofSeconds(5);

    private final World world;
    private final SimulationEnvironment surroundings;
    private final InMemoryHostStore store;
    private final Rules rules;
    private final Trace trace;
    private final Map<HostId, Seen> seen = new TreeMap<>();
    private long lookedNanos;

    HostRules(World world, SimulationEnvironment surroundings, Rules rules, Trace trace) {
        this.world = world;
        this.surroundings = surroundings;
        this.store = surroundings.hosts();
        this.rules = rules;
        this.trace = trace;
        world.hosts().forEach(host -> seen.put(host.id(), new Seen()));
    }

    private Seen of(SimulatedHost host) {
        return seen.computeIfAbsent(host.id(), _ -> new Seen());
    }

    /** Checks the first states that a new life of the engine shows. */
    void beginLife(EngineUnderSimulation engine, long nowNanos) {
        lookedNanos = nowNanos;
        for (SimulatedHost host : managed()) {
            HostStatus shown = engine.hostStatus(host.id());
            HostCondition saved = store.condition(host.id());
            require(
                    saved != null && HostAnalysis.recovered(saved).status() == shown,
                    "a new life of the engine shows %s as %s, saved was %s",
                    host,
                    shown,
                    saved);
            of(host).status = shown;
            of(host).silentNanos = 0;
            of(host).unaskedNanos = 0;
        }
    }

    private List<SimulatedHost> managed() {
        return world.hosts().stream().filter(SimulatedHost::isManaged).toList();
    }

    /** A host is removed; one that is added later under its id is another one. */
    void removed(SimulatedHost host) {
        seen.put(host.id(), new Seen());
    }

    /** The host answered something. */
    void answered(SimulatedHost host) {
        of(host).silentNanos = 0;
    }

    /** The rules of every step. */
    void afterStep(EngineUnderSimulation engine, long nowNanos, Predicate<VmId> locked) {
        // In a leap the engine sees one moment, however long it was.
        long passed = Math.min(nowNanos - lookedNanos, FleetSimulation.STRIDE.toNanos());
        lookedNanos = nowNanos;
        for (SimulatedHost host : managed()) {
            HostStatus next = engine.hostStatus(host.id());
            Seen known = of(host);
            if (next != known.status) {
                trace.engine("%s: %s -> %s", host, known.status, next);
                require(
                        follows(known.status, next, MOST_AT_ONCE),
                        "%s went from %s to %s, which no transition allows",
                        host,
                        known.status,
                        next);
                if (!rules.trust().isLiar(host)) {
                    entersMaintenanceEmpty(engine, host, known.status, next);
                }
                arrived(known, next);
            }
            connectingComesToAnEnd(engine, host, passed);
            whatNobodyAsksIsNotKnown(engine, host, passed, locked);
        }
        for (OpenHostWork open : store.openWork()) {
            Seen known = seen.get(open.work().host());
            if (known != null && open.work().kind() == HostWorkKind.FENCE) {
                known.fences.add(open.work().key());
                require(
                        known.fences.size() <= known.outages,
                        "%s is to be fenced %d times for %d outages",
                        open.work().host(),
                        known.fences.size(),
                        known.outages);
            }
        }
    }

    /** No VM is left behind on a host that was drained. */
    private void entersMaintenanceEmpty(
            EngineUnderSimulation engine, SimulatedHost host, HostStatus from, HostStatus to) {
        if (from == HostStatus.PREPARING_FOR_MAINTENANCE && to == HostStatus.MAINTENANCE) {
            require(
                    host.processes().keySet().stream().allMatch(rules.trust()::mayBeMisled)
                            && engine.indexedOn(host.id()).isEmpty(),
                    "%s enters maintenance although VMs are on it: %s, shown there: %s",
                    host,
                    host.processes(),
                    engine.indexedOn(host.id()));
        }
    }

    /** A host that does not answer is forgiven for its grace period, and no longer. */
    private void connectingComesToAnEnd(
            EngineUnderSimulation engine, SimulatedHost host, long passed) {
        Seen known = of(host);
        if (known.status != HostStatus.CONNECTING) {
            known.silentNanos = 0;
            known.stood = false;
            known.vms = 0;
            return;
        }
        known.silentNanos += passed;
        known.stood |= host.isConnected();
        known.vms = Math.max(known.vms, engine.indexedOn(host.id()).size());
        Duration most =
                POLICY.grace(known.vms, false)
                        .plus(
                                (known.stood ? DEADLINE : FleetSimulation.STRIDE)
                                        .multipliedBy(POLICY.failures() + 1))
                        .plus(SLACK);
        require(
                known.silentNanos <= most.toNanos(),
                "%s has been connecting for %d s without an answer",
                host,
                known.silentNanos / 1_000_000_000);
    }

    /** A host that is left alone is not connected, and its VMs' state is unknown. */
    private void whatNobodyAsksIsNotKnown(
            EngineUnderSimulation engine, SimulatedHost host, long passed, Predicate<VmId> locked) {
        Seen known = of(host);
        if (known.status.isRefreshed()) {
            known.unaskedNanos = 0;
            return;
        }
        require(
                !host.isConnected() || surroundings.connector().host(host.id()).isClosed(),
                "%s is %s and still connected",
                host,
                known.status);
        List<VmId> pretended =
                engine.indexedOn(host.id()).stream()
                        .filter(vm -> !locked.test(vm))
                        .filter(this::isShownAsKnown)
                        .toList();
        known.unaskedNanos = pretended.isEmpty() ? 0 : known.unaskedNanos + passed;
        require(
                known.unaskedNanos <= FleetSimulation.STRIDE.plus(SLACK).toNanos(),
                "%s is %s and its VMs are shown as known: %s",
                host,
                known.status,
                pretended);
    }

    private boolean isShownAsKnown(VmId vm) {
        Shown shown = rules.shown(vm);
        return shown != null && shown.isRunning() && shown.runtime().status() != VmStatus.UNKNOWN;
    }

    private static void arrived(Seen host, HostStatus next) {
        host.status = next;
        switch (next) {
            case UP, INITIALIZING, NON_OPERATIONAL -> host.answeredSinceOutage = true;
            case PREPARING_FOR_MAINTENANCE, MAINTENANCE ->
                    host.answeredSinceOutage = true; // people have seen to it
            case NON_RESPONSIVE -> {
                if (host.answeredSinceOutage) {
                    host.answeredSinceOutage = false;
                    host.outages++;
                }
            }
            default -> {
                // It does not show whether the host answers.
            }
        }
    }

    /** Whether this number of transitions may lead from one status to another. */
    private static boolean follows(HostStatus from, HostStatus to, int most) {
        for (HostTransition transition : HostTransition.values()) {
            boolean ofAnEngineThatStarts =
                    transition == HostTransition.ENGINE_STARTED
                            || transition == HostTransition.ENGINE_STARTED_FORGIVING;
            if (!ofAnEngineThatStarts
                    && transition.leaves(from)
                    && (transition.to() == to
                            || (most > 1 && follows(transition.to(), to, most - 1)))) {
                return true;
            }
        }
        return false;
    }

    /** A host that no longer answers is given up, and its VMs' state is unknown. */
    void isGivenUp(EngineUnderSimulation engine, SimulatedHost host) {
        require(
                engine.hostStatus(host.id()) == HostStatus.NON_RESPONSIVE,
                "%s is silent and shown as %s",
                host,
                engine.hostStatus(host.id()));
    }
}
