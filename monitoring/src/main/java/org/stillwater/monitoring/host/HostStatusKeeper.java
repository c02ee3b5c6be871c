package org.stillwater.monitoring.host;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.analysis.host.HostAnalysis;
import org.stillwater.core.analysis.host.HostContext;
import org.stillwater.core.analysis.host.HostDecision;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.analysis.host.HostOutcome;
import org.stillwater.core.analysis.host.HostTransition;
import org.stillwater.core.analysis.host.HostWatch;
import org.stillwater.core.analysis.host.KnownHost;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.host.HostCondition;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.host.NonOperationalReason;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostHardware;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.store.HostStore.HostChange;
import org.stillwater.core.store.OpenHostWork;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.belief.Transitions;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.vm.HostVms;

/**
 * Keeps one host's status: lets the core evaluate each fact, publishes and stores the result, and
 * executes the decisions, each isolated from the others.
 *
 * <p>Only the host's thread adds facts; any thread reads the state.
 */
final class HostStatusKeeper {

    private static final Logger LOG = LoggerFactory.getLogger(HostStatusKeeper.class);

    private final HostId id;
    private final HostServices services;
    private final EngineClock clock;
    private final ThrottledLog warnings;
    private final HostAuditLog audits;
    private final HostLog log;
    private final Consumer<HostDecision.Step> steps;
    private final HostVms home;

    private volatile HostState state;
    private volatile long movedNanos;
    private KnownHost known;
    private volatile long capabilitiesEpochMillis;
    private volatile long committedEpochMillis;
    private volatile byte @Nullable [] packedBeliefs;

    /** VMs on the host by its own newest count; null if it reported none. */
    private @Nullable Integer reportedVms;

    /**
     * A keeper of a host's state from the database, or of an added host.
     *
     * @param steps carries out steps of the watching itself; may hand in further facts
     */
    HostStatusKeeper(HostState known, MonitoredHost host, Consumer<HostDecision.Step> steps) {
        this.id = host.id();
        this.services = host.services();
        this.clock = services.clock();
        this.warnings = host.logs().warnings();
        this.audits = host.logs().audits();
        this.log = host.logs().lines();
        this.steps = steps;
        this.home = services.registry().on(id);
        this.state = known;
        this.movedNanos = clock.nanoTime();
        this.known = new KnownHost(id, known.condition(), HostWatch.begin(clock.nanoTime()));
    }

    /** Whether an interface of a required network was down in its newest numbers. */
    boolean isInterfaceDown() {
        return !known.watch().interfacesDown().isEmpty();
    }

    /** The published state. Any thread. */
    HostState state() {
        return state;
    }

    /** When it took its status, or when the engine started; monotonic, ns. Any thread. */
    long movedNanos() {
        return movedNanos;
    }

    /** Its status. */
    HostStatus status() {
        return known.status();
    }

    /** When its capabilities were read last, ms since the epoch; 0 for never. Any thread. */
    long capabilitiesEpochMillis() {
        return capabilitiesEpochMillis;
    }

    /** When the database took its newest change, ms since the epoch; 0 for never. Any thread. */
    long committedEpochMillis() {
        return committedEpochMillis;
    }

    /** The database has everything known about the host until then. Any thread. */
    void committed(long epochMillis) {
        committedEpochMillis = epochMillis;
    }

    /** Takes the host's capabilities. */
    void capabilities(HostCapabilities capabilities) {
        HostState seen = state;
        capabilitiesEpochMillis = clock.now().toEpochMilli();
        if (!capabilities.equals(seen.capabilities())) {
            HostCapabilities before = seen.capabilities();
            services.caches()
                    .numa()
                    .reported(
                            id,
                            capabilities.numaNodes(),
                            before == null ? null : before.numaNodes());
            publish(seen.withCapabilities(capabilities));
            services.writer()
                    .changed(new HostChange(id, known.condition(), List.of(), capabilities, null));
        }
        decide(new HostFact.CapabilitiesTold(services.rules().unfitness(id, capabilities)));
    }

    /** Takes the firmware's reported data. */
    void hardware(HostHardware hardware) {
        HostState seen = state;
        if (!hardware.equals(seen.hardware())) {
            publish(seen.withHardware(hardware));
            services.writer()
                    .changed(new HostChange(id, known.condition(), List.of(), null, hardware));
        }
        decide(new HostFact.Answered());
    }

    /** Its statistics arrived. */
    void statistics(HostStatistics statistics) {
        reportedVms = statistics.vms().count();
        Set<String> down =
                services.rules().requiredInterfacesDown(id, state.capabilities(), statistics);
        decide(new HostFact.StatisticsTold(down));
    }

    /**
     * A contact failed. Where a host is asked so rarely that one interval uses up much of the
     * forgiven silence, that begins near the first failure.
     */
    void failed(HostFailure failure) {
        HostMonitorSettings settings = services.settings();
        long ordinary = settings.interval().toNanos();
        long most = settings.policy().base().toNanos() / 2;
        boolean rarelyAsked = services.cadence().isOn() || ordinary > most;
        if (rarelyAsked && status().isInContact()) {
            long since = clock.nanoTime() - Math.min(ordinary, most);
            known = new KnownHost(id, known.condition(), known.watch().inContactUntil(since));
        }
        decide(new HostFact.ContactFailed(failure));
    }

    /** The engine itself stood still for this time, in which it could not hear the host. */
    void notWatchedFor(long nanos) {
        known = new KnownHost(id, known.condition(), known.watch().notWatchedFor(nanos));
    }

    /** Its cluster demands something else now. */
    void rulesChanged() {
        HostCapabilities capabilities = state.capabilities();
        if (capabilities != null && known.status().isInContact()) {
            decide(new HostFact.RulesChanged(services.rules().unfitness(id, capabilities)));
        }
    }

    /** It has other tags, which are no part of its state. */
    void retagged() {
        state = services.feed().hostChanged(state, state.definition().cluster(), clock.nanoTime());
    }

    /** It is reached differently. */
    void redefined(HostDefinition definition) {
        publish(state.withDefinition(definition));
    }

    /**
     * Lets the core decide and executes its decisions.
     *
     * @return the reason for the refusal of an order, null if it is accepted
     */
    @Nullable String decide(HostFact fact) {
        HostOutcome outcome = HostAnalysis.decide(known, fact, context(fact));
        if (outcome.refusal() != null) {
            return outcome.refusal();
        }
        HostCondition before = known.condition();
        known = outcome.next();
        store(before, fact, outcome.decisions());
        believe(before.status(), fact, outcome);
        for (HostDecision decision : outcome.decisions()) {
            carryOut(decision);
        }
        return null;
    }

    private HostContext context(HostFact fact) {
        HostRules rules = services.rules();
        boolean failed = fact instanceof HostFact.ContactFailed;
        return new HostContext(
                clock.nanoTime(),
                services.settings().policy(),
                clock.nanoTime() - services.startedNanos(),
                home.size(),
                failed && home.anyWithLease(),
                fact instanceof HostFact.StatisticsTold
                        && reportedVms != null
                        && reportedVms == 0
                        && home.size() == 0,
                state.definition().traits().storagePoolManager(),
                state.definition().traits().powerManagement(),
                rules.fencing(id),
                failed ? rules.silentPercent(id) : 0,
                rules.migrateOnError(id));
    }

    /**
     * Makes the new condition public first and durable soon, together with the work that follows
     * from it.
     */
    private void store(HostCondition before, HostFact fact, List<HostDecision> decisions) {
        HostCondition now = known.condition();
        List<OpenHostWork> work = new ArrayList<>(1);
        for (HostDecision decision : decisions) {
            if (decision instanceof HostDecision.Queue(HostWork queued)) {
                work.add(new OpenHostWork(queued, clock.now()));
            }
        }
        if (now.equals(before) && work.isEmpty()) {
            return;
        }
        HostState seen = state;
        String reason = reason(now, fact);
        boolean moved = now.status() != before.status();
        if (moved) {
            movedNanos = clock.nanoTime();
            tellLog(before.status(), now.status(), reason);
        }
        publish(seen.withCondition(now, moved ? clock.now() : seen.since(), reason));
        services.writer().changed(new HostChange(id, now, work, null, null));
    }

    private void believe(HostStatus before, HostFact fact, HostOutcome outcome) {
        HostStatus from = before;
        for (HostTransition transition : outcome.transitions()) {
            packedBeliefs =
                    services.beliefs()
                            .add(
                                    packedBeliefs,
                                    id,
                                    state.revision(),
                                    Transitions.of(
                                            id,
                                            Transitions.cause(fact),
                                            transition,
                                            from,
                                            transition.to(),
                                            Transitions.decided(outcome.decisions()),
                                            clock.now()));
            from = transition.to();
        }
    }

    /** The last transitions, packed; null for none. Any thread; must not be changed. */
    byte @Nullable [] packedBeliefs() {
        return packedBeliefs;
    }

    private static @Nullable String reason(HostCondition condition, HostFact fact) {
        return switch (condition.status()) {
            case UP -> null;
            case NON_OPERATIONAL -> condition.nonOperational().clause();
            case PREPARING_FOR_MAINTENANCE, MAINTENANCE -> condition.maintenanceReason();
            case UNASSIGNED,
                    DOWN,
                    NON_RESPONSIVE,
                    ERROR,
                    INSTALLING,
                    INSTALL_FAILED,
                    REBOOT,
                    PENDING_APPROVAL,
                    INITIALIZING,
                    CONNECTING,
                    INSTALLING_OS,
                    KDUMPING ->
                    fact instanceof HostFact.ContactFailed(HostFailure failure)
                            ? failure.describe()
                            : null;
        };
    }

    private void tellLog(HostStatus from, HostStatus to, @Nullable String reason) {
        String name = state.definition().name();
        if (to == HostStatus.CONNECTING
                || to == HostStatus.NON_RESPONSIVE
                || to == HostStatus.NON_OPERATIONAL
                || to == HostStatus.INITIALIZING) {
            log.warn(LOG, "host={} from={} to={}: {}", name, from, to, reason);
        } else {
            log.info(LOG, "host={} from={} to={}", name, from, to);
        }
    }

    private void carryOut(HostDecision decision) {
        try {
            switch (decision) {
                case HostDecision.Audit(var event, var details) ->
                        audits.record(event, null, id, details);
                case HostDecision.Queue _ -> {
                    // Stored with the condition.
                }
                case HostDecision.Tell(HostDecision.Signal signal) -> {
                    NonOperationalReason reason = known.condition().nonOperational();
                    services.writer()
                            .afterCommit(
                                    id, () -> services.signals().hosts().told(id, signal, reason));
                }
                case HostDecision.Do(HostDecision.Step step) -> steps.accept(step);
            }
        } catch (RuntimeException e) {
            warnings.about("decision failed", decision + ": " + e, e);
        }
    }

    private void publish(HostState next) {
        HostState seen = state;
        if (!next.withRevision(seen.revision()).equals(seen)) {
            state =
                    services.feed()
                            .hostChanged(next, seen.definition().cluster(), clock.nanoTime());
        }
    }
}
