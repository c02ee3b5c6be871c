package org.stillwater.monitoring.device;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.access.HostReach;
import org.stillwater.core.analysis.DeviceAnalysis;
import org.stillwater.core.analysis.DeviceChanges;
import org.stillwater.core.analysis.DomainXmlReader;
import org.stillwater.core.analysis.DomainXmlReader.UnreadableDomain;
import org.stillwater.core.analysis.VmRule;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.store.DeviceUpdate;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.vm.BeliefCause;
import org.stillwater.core.vm.PlacementFields;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.belief.Transitions;
import org.stillwater.monitoring.belief.Transitions.Because;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.vm.VmState;

/**
 * Imports the unknown VMs of one host: reads their definitions from the host, saves them with their
 * devices, and only then adds them to the registry. Used by the host's thread only.
 */
public final class ExternalVms {

    private static final Logger LOG = LoggerFactory.getLogger(ExternalVms.class);

    /** Batches of new VMs of one host that may wait for the database. */
    private static final int MOST_ADDITIONS = 4;

    private final HostId host;
    private final DeviceServices services;
    private final HostThread thread;
    private final ThrottledLog warnings;
    private final Listener listener;
    private final ExternalIntake intake;
    private final FailedReads failures;
    private final DomainXmlPace pace;
    private final DomainXmlReader domains;
    private final IntakeRoom room;
    private @Nullable HostConnection asked;
    private int additionsPending;
    private boolean pollAfterIntake;

    // Read by any thread.
    private volatile @Nullable IntakeTrouble trouble;

    /** What the import of VMs needs from its host's monitor, and what it reports to it. */
    public interface Listener {
        /** The first state of a VM, to be saved. */
        StoredVm firstState(VmReport.Running report, VmStatic definition);

        /** A VM was imported. */
        void takenIn(VmId vmId);

        /** VMs cannot be imported; called once until all of them are imported. */
        void troubled(IntakeTrouble trouble);
    }

    /**
     * Has no VMs to import.
     *
     * @param domains reads domain XML
     * @param limit most waiting unknown VMs
     * @param chunk most VMs of one request
     * @param interval of the statistics cycle
     * @param refusalPause longest time for which a failed VM is skipped
     */
    public ExternalVms(
            HostId host,
            DeviceServices services,
            HostThread thread,
            ThrottledLog warnings,
            Listener listener,
            DomainXmlReader domains,
            int limit,
            int chunk,
            Duration interval,
            Duration refusalPause) {
        this.host = host;
        this.services = services;
        this.thread = thread;
        this.warnings = warnings;
        this.listener = listener;
        this.domains = domains;
        this.room = services.additions().room();
        room.begin(host);
        // Half a cycle: the next cycle tries again.
        long firstNanos = interval.toNanos() / 2;
        this.failures = new FailedReads(limit, firstNanos, refusalPause.toNanos());
        this.pace = new DomainXmlPace(chunk, firstNanos, refusalPause.toNanos());
        this.intake =
                new ExternalIntake(
                        host,
                        services.registry(),
                        limit,
                        failures,
                        () -> thread.run("a VM taken in elsewhere", thread::wantPoll));
    }

    /**
     * A VM that the engine does not know is running here.
     *
     * @param admitted whether a VM may wait; evaluated only for one that could begin to wait now
     */
    public void seen(VmReport.Running report, long nowNanos, BooleanSupplier admitted) {
        intake.seen(report, nowNanos, admitted);
    }

    /** A VM that the engine does not know is no longer running here. */
    public void gone(VmId id) {
        intake.gone(id);
    }

    /** The newest report of a VM under import, or null. */
    public VmReport.@Nullable Running waiting(VmId id) {
        return intake.unknown(id);
    }

    /** Forgets waiting VMs, for the end of monitoring. */
    public void clear() {
        intake.clear();
        failures.clear();
        room.begin(host);
        tellTrouble();
    }

    /** A complete poll was analysed: VMs missing in it can no longer be imported. */
    public void polled(long receivedNanos) {
        if (failures.size() > 0) {
            failures.polled(receivedNanos);
            tellTrouble();
        }
    }

    /** The host's agent may have been replaced since the failure. */
    public void connected() {
        pace.reset();
        failures.resume(services.clock().nanoTime());
    }

    /** VMs that cannot be imported; null without any. Any thread. */
    public @Nullable IntakeTrouble trouble() {
        return trouble;
    }

    private void tellTrouble() {
        IntakeTrouble before = trouble;
        String reason = failures.reason(!pace.isBroken());
        if (reason == null) {
            trouble = null;
            return;
        }
        int vms =
                pace.isBroken()
                        ? failures.size() + intake.waiting(id -> !failures.has(id))
                        : failures.certain();
        IntakeTrouble now =
                new IntakeTrouble(
                        vms, reason, before == null ? services.clock().now() : before.since());
        trouble = now;
        if (before == null) {
            listener.troubled(now);
        }
    }

    /** Requests the definitions of waiting VMs from the host, unless a request is open. */
    @SuppressWarnings("ReferenceEquality") // a call belongs to the connection it was made on
    public void ask() {
        HostConnection open = thread.connection();
        if (open == null
                || open == asked
                || additionsPending >= MOST_ADDITIONS
                || !pace.isDue(services.clock().nanoTime())) {
            return;
        }
        int chunk = pace.chunk();
        int admitted = intake.isAnyToAsk() ? room.take(host, chunk, this::roomAgain) : chunk;
        if (admitted == 0) {
            return;
        }
        List<VmId> next = intake.nextChunk(admitted);
        if (!next.isEmpty()) {
            room.release(host, admitted - next.size());
            asked = open;
            open.domainXmls(next, answer -> thread.run("new VMs", () -> answered(next, answer)));
        } else if (pollAfterIntake && intake.isIdle()) {
            pollAfterIntake = false;
            thread.wantPoll();
        }
    }

    /** There is room for VMs that wait. Any thread. */
    private void roomAgain() {
        thread.run(
                "room for new VMs",
                () -> {
                    ask();
                    room.pass();
                });
    }

    private void answered(List<VmId> vms, HostAnswer<Map<VmId, String>> answer) {
        asked = null;
        switch (answer) {
            case HostAnswer.Success<Map<VmId, String>>(Map<VmId, String> xmls) -> {
                pace.answered();
                read(vms, xmls);
                tellTrouble();
                ask();
            }
            case HostAnswer.Failed<Map<VmId, String>>(HostFailure failure) -> {
                warnings.about("domain XML failed", failure.describe());
                room.release(host, vms.size());
                if (DomainXmlPace.isOfTheCall(failure)) {
                    refused(vms, failure);
                } else {
                    vms.forEach(intake::failed);
                }
            }
        }
    }

    /** One VM can spoil the call for all: they are requested in halves, down to single VMs. */
    private void refused(List<VmId> vms, HostFailure failure) {
        long now = services.clock().nanoTime();
        if (pace.failed(vms.size(), failure, now)) {
            vms.forEach(intake::again);
        } else {
            vms.forEach(id -> failed(id, failure.describe(), now));
            tellTrouble();
        }
        ask();
    }

    private void failed(VmId id, String reason, long nowNanos) {
        intake.failed(id);
        failures.failed(id, reason, nowNanos);
    }

    private void unreadable(VmId id, String reason) {
        intake.failed(id);
        failures.unreadable(id, reason, services.clock().nanoTime());
    }

    private void read(List<VmId> vms, Map<VmId, String> xmls) {
        List<NewVm> found = new ArrayList<>();
        for (VmId id : vms) {
            String xml = xmls.get(id);
            VmReport.Running report = intake.unknown(id);
            if (report == null) {
                intake.failed(id); // it is gone
                continue;
            }
            if (xml == null) {
                failed(id, "the host gives no definition of VM " + id, services.clock().nanoTime());
                continue;
            }
            try {
                DomainXmlReader.Found read = domains.readFound(id, xml);
                DomainXmlReader.Domain domain = read.domain();
                VmSpecification specification = HostReach.reported(read.specification());
                found.add(
                        new NewVm(
                                listener.firstState(report, domain.definition()),
                                devices(id, report.deviceHash(), domain, specification),
                                DeviceDigest.of(domain, specification)));
            } catch (UnreadableDomain e) {
                unreadable(id, "the definition of VM " + id + " is not understood");
                warnings.about("domain XML not understood", "vm=" + id + ": " + e.getMessage());
            } catch (RuntimeException e) {
                // One VM's document must not cost the others of the same answer.
                unreadable(id, "the definition of VM " + id + " is not understood");
                warnings.about("domain XML not understood", "vm=" + id + ": " + e, e);
            }
        }
        room.release(host, vms.size() - found.size());
        if (!found.isEmpty()) {
            additionsPending++;
            services.additions().save(List.copyOf(found), new Adding(found));
        }
    }

    /**
     * All devices of an external VM are unmanaged. One that has no hash yet is described by its
     * first XML, which is not its last word (protocol specification §3.3.2): no hash is saved, so
     * its devices are read again with the first one.
     */
    private static DeviceUpdate devices(
            VmId id,
            @Nullable String hash,
            DomainXmlReader.Domain domain,
            VmSpecification specification) {
        DeviceChanges all = DeviceAnalysis.compare(List.of(), domain.devices(), _ -> false);
        return new DeviceUpdate(
                id, hash, List.of(), List.of(), all.additions(), null, specification);
    }

    /** New VMs and their devices on their way to the database. */
    private final class Adding implements VmAdditions.Receiver {
        private final List<NewVm> all;

        Adding(List<NewVm> all) {
            this.all = all;
        }

        @Override
        public void added(VmAdditions.Saved saved) {
            thread.run("VMs added", () -> ExternalVms.this.added(saved));
        }

        @Override
        public void abandoned() {
            thread.run(
                    "VMs not added",
                    () -> {
                        additionsPending--;
                        all.forEach(one -> intake.failed(one.vm().id()));
                        room.release(host, all.size());
                    });
        }
    }

    /**
     * New VMs and devices are durable: the VMs become known. If rows of some were there, an earlier
     * attempt had saved them and the answer was lost. The rows hold the state of that time, so
     * every column is compared.
     */
    private void added(VmAdditions.Saved saved) {
        additionsPending--;
        Instant now = services.clock().now();
        long nowNanos = services.clock().nanoTime();
        int taken = 0;
        for (NewVm one : saved.vms()) {
            StoredVm vm = one.vm();
            String refusal = saved.refused().get(vm.id());
            if (refusal != null) {
                intake.failed(vm.id());
                failures.refused(
                        vm.id(), "the database refuses VM " + vm.id() + ": " + refusal, nowNanos);
                continue;
            }
            failures.succeeded(vm.id());
            VmState state = new VmState(vm.runtime(), vm.placement(), 0, now, nowNanos);
            boolean isNew =
                    services.registry()
                            .register(
                                    vm.id(),
                                    vm.definition(),
                                    state,
                                    manager -> {
                                        manager.changed(nowNanos, host);
                                        String hash = one.devices().hash();
                                        if (hash != null
                                                && !saved.withoutDevices().contains(vm.id())) {
                                            manager.devices().saved(hash, one.digest());
                                        }
                                        services.feed().vmAdded(manager);
                                        services.beliefs()
                                                .add(
                                                        manager,
                                                        Transitions.of(
                                                                Because.of(
                                                                        BeliefCause.TAKEN_IN, host),
                                                                VmRule.FOUND,
                                                                VmStatus.DOWN,
                                                                manager.state(),
                                                                0,
                                                                now,
                                                                nowNanos,
                                                                nowNanos));
                                    });
            if (isNew && saved.someWereThere()) {
                services.writer()
                        .changed(
                                vm.id(),
                                vm.runtime(),
                                RuntimeFields.all(),
                                vm.placement(),
                                PlacementFields.all(),
                                List.of(),
                                nowNanos);
            }
            if (isNew) {
                taken++;
                listener.takenIn(vm.id());
                LOG.debug(
                        "vm={} name={} taken in, running on host={}",
                        vm.id(),
                        vm.definition().name(),
                        host);
            }
            intake.done(vm.id());
        }
        room.release(host, saved.vms().size());
        services.meters().takenIn(taken);
        if (taken > 0) {
            LOG.info("host={} external VMs taken in: {}", host, taken);
        }
        tellTrouble();
        pollAfterIntake = true;
        ask();
    }
}
