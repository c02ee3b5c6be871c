package org.stillwater.testkit.simulation;

import static org.stillwater.testkit.simulation.Rules.require;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.stillwater.core.analysis.host.HostAnalysis;
import org.stillwater.core.analysis.host.HostTransition;
import org.stillwater.core.model.HostCondition;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.HostStatus;
import org.stillwater.core.model.HostWork;
import org.stillwater.core.model.HostWorkKind;
import org.stillwater.core.port.OpenHostWork;
import org.stillwater.testkit.InMemoryHostStore;

/** What must hold for the statuses of hosts and for what is left to commands about them. */
final class HostRules {

    /**
     * Changes of one host's status that one look at the engine may have missed all but the last.
     */
    private static final int MOST_AT_ONCE = 3;

    /** What was seen of one host, over all lives of the engine. */
    private static final class Seen {
        HostStatus status = HostStatus.UNASSIGNED;
        boolean answeredSinceOutage = true;
        int outages;
        final Set<HostWork.Key> fences = new HashSet<>();
    }

    private final World world;
    private final InMemoryHostStore store;
    private final Trace trace;
    private final Map<HostId, Seen> seen = new TreeMap<>();

    HostRules(World world, InMemoryHostStore store, Trace trace) {
        this.world = world;
        this.store = store;
        this.trace = trace;
        world.hosts().forEach(host -> seen.put(host.id(), new Seen()));
    }

    private Seen of(SimulatedHost host) {
        return seen.computeIfAbsent(host.id(), _ -> new Seen());
    }

    /** What a new life of the engine shows first. */
    void beginLife(EngineUnderSimulation engine) {
        for (SimulatedHost host : world.hosts()) {
            HostStatus shown = engine.hostStatus(host.id());
            HostCondition saved = store.condition(host.id());
            require(
                    saved != null && HostAnalysis.recovered(saved).status() == shown,
                    "a new life of the engine shows %s as %s, saved was %s",
                    host,
                    shown,
                    saved);
            of(host).status = shown;
        }
    }

    /** The rules of every step. */
    void afterStep(EngineUnderSimulation engine) {
        for (SimulatedHost host : world.hosts()) {
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
                arrived(known, next);
            }
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

    private static void arrived(Seen host, HostStatus next) {
        host.status = next;
        switch (next) {
            case UP, INITIALIZING, NON_OPERATIONAL -> host.answeredSinceOutage = true;
            case NON_RESPONSIVE -> {
                if (host.answeredSinceOutage) {
                    host.answeredSinceOutage = false;
                    host.outages++;
                }
            }
            default -> {
                // It says nothing about whether the host answers.
            }
        }
    }

    /** Whether so many transitions may lead from one status to another. */
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

    /** A host that does not answer any more is given up, and nobody can say how its VMs fare. */
    void isGivenUp(EngineUnderSimulation engine, SimulatedHost host) {
        require(
                engine.hostStatus(host.id()) == HostStatus.NON_RESPONSIVE,
                "%s is silent and shown as %s",
                host,
                engine.hostStatus(host.id()));
    }
}
