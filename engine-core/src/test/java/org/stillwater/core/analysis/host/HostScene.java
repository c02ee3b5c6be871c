package org.stillwater.core.analysis.host;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
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

/** A host, its events, and the decisions: the analysis read as a story. */
final class HostScene {

    static final HostId H1 = new HostId(new UUID(0x1000, 1));
    static final Unfitness NO_KVM =
            new Unfitness(
                    NonOperationalReason.KVM_NOT_RUNNING,
                    AuditEvent.VDS_RUN_IN_NO_KVM_MODE,
                    Map.of());
    static final Unfitness NO_NETWORK =
            new Unfitness(
                    NonOperationalReason.NETWORK_UNREACHABLE,
                    AuditEvent.VDS_SET_NONOPERATIONAL,
                    Map.of());
    private static final HostFailure UNREACHABLE = new HostFailure.Unreachable("reset");

    private long now = Duration.ofHours(5).toNanos();
    private long engineStarted;
    private HostPolicy policy = HostPolicy.DEFAULT;
    private int vms;
    private boolean leases;
    private boolean drained;
    private boolean storagePoolManager;
    private boolean powerManagement;
    private FencingPolicy fencing = FencingPolicy.DEFAULT;
    private int silentPercent = 1;
    private MigrateOnError migrateOnError = MigrateOnError.ALL;
    private KnownHost known;
    private HostOutcome outcome;

    private HostScene(HostStatus status) {
        known = new KnownHost(H1, HostCondition.of(status), HostWatch.begin(now));
        outcome = new HostOutcome(known, List.of(), null);
    }

    /** A host that has this status since now, and answered just now. */
    static HostScene host(HostStatus status) {
        return new HostScene(status);
    }

    /** A host that stopped answering long ago. */
    static HostScene silent() {
        return host(HostStatus.UP).answers().passes(Duration.ofSeconds(200)).fails(3);
    }

    HostScene withVms(int count) {
        vms = count;
        return this;
    }

    HostScene withLeases() {
        leases = true;
        return this;
    }

    HostScene managingStorage() {
        storagePoolManager = true;
        return this;
    }

    HostScene withPowerManagement() {
        powerManagement = true;
        return this;
    }

    HostScene fencedBy(FencingPolicy next, int percentSilent) {
        fencing = next;
        silentPercent = percentSilent;
        return this;
    }

    HostScene engineStartsNow() {
        engineStarted = now;
        return this;
    }

    HostScene evacuatedBy(MigrateOnError next) {
        migrateOnError = next;
        return this;
    }

    HostScene with(HostPolicy next) {
        policy = next;
        return this;
    }

    /** From now on nothing is on the host, or something is. */
    HostScene drained(boolean next) {
        drained = next;
        return this;
    }

    /** Nothing happens for a while. */
    HostScene passes(Duration time) {
        now += time.toNanos();
        return this;
    }

    HostScene answers() {
        return happens(new HostFact.Answered());
    }

    HostScene tellsCapabilities() {
        return happens(new HostFact.CapabilitiesTold(null));
    }

    HostScene isUnfit(Unfitness why) {
        return happens(new HostFact.CapabilitiesTold(why));
    }

    /** Its cluster demands something else, by which the host may not run VMs, or may (null). */
    HostScene isJudgedAnew(@Nullable Unfitness why) {
        return happens(new HostFact.RulesChanged(why));
    }

    HostScene tellsStatistics(String... interfacesDown) {
        return happens(new HostFact.StatisticsTold(Set.of(interfacesDown)));
    }

    HostScene comesUp() {
        return tellsCapabilities().tellsStatistics();
    }

    HostScene fails() {
        return failsWith(UNREACHABLE);
    }

    HostScene failsWith(HostFailure failure) {
        return happens(new HostFact.ContactFailed(failure));
    }

    HostScene fails(int times) {
        for (int i = 0; i < times; i++) {
            fails();
        }
        return this;
    }

    HostScene isRecovering() {
        return failsWith(new HostFailure.Recovering("finding VMs"));
    }

    HostScene isLookedAt() {
        return happens(new HostFact.TimePassed());
    }

    HostScene isCondemned(Unfitness why) {
        return happens(new HostFact.Condemned(why));
    }

    HostScene isToBeMaintained() {
        return happens(new HostFact.Maintain("new disks"));
    }

    HostScene isWithdrawn() {
        return happens(new HostFact.Withdraw("its pool has disabled it"));
    }

    HostScene isActivated() {
        return happens(new HostFact.Activate());
    }

    HostScene isToBeRebooted() {
        return happens(new HostFact.Reboot());
    }

    /** The engine starts again on the saved state; its memory is lost. */
    HostScene engineIsStartedAgain() {
        known = new KnownHost(H1, HostAnalysis.recovered(known.condition()), HostWatch.begin(now));
        outcome = new HostOutcome(known, List.of(), null);
        return engineStartsNow();
    }

    private HostScene happens(HostFact fact) {
        outcome = HostAnalysis.decide(known, fact, context());
        known = outcome.next();
        return this;
    }

    HostContext context() {
        return new HostContext(
                now,
                policy,
                now - engineStarted,
                vms,
                leases,
                drained,
                storagePoolManager,
                powerManagement,
                fencing,
                silentPercent,
                migrateOnError);
    }

    HostStatus status() {
        return known.status();
    }

    HostCondition condition() {
        return known.condition();
    }

    /** Why the last order was not followed, null if it was. */
    String refusal() {
        return outcome.refusal();
    }

    List<HostDecision> decisions() {
        return outcome.decisions();
    }

    List<AuditEvent> audited() {
        return decisions().stream()
                .filter(HostDecision.Audit.class::isInstance)
                .map(decision -> ((HostDecision.Audit) decision).event())
                .toList();
    }

    /** A detail of the only event that was audited last. */
    String told(String detail) {
        return decisions().stream()
                .filter(HostDecision.Audit.class::isInstance)
                .map(decision -> ((HostDecision.Audit) decision).details().get(detail))
                .findFirst()
                .orElse(null);
    }

    List<HostWork> work() {
        return decisions().stream()
                .filter(HostDecision.Queue.class::isInstance)
                .map(decision -> ((HostDecision.Queue) decision).work())
                .toList();
    }

    List<HostWorkKind> queued() {
        return work().stream().map(HostWork::kind).toList();
    }

    List<HostDecision.Signal> signals() {
        return decisions().stream()
                .filter(HostDecision.Tell.class::isInstance)
                .map(decision -> ((HostDecision.Tell) decision).signal())
                .toList();
    }

    List<HostDecision.Step> steps() {
        return decisions().stream()
                .filter(HostDecision.Do.class::isInstance)
                .map(decision -> ((HostDecision.Do) decision).step())
                .toList();
    }
}
