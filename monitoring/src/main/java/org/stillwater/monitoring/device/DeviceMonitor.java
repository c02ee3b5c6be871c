package org.stillwater.monitoring.device;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.access.HostReach;
import org.stillwater.core.analysis.DeviceAnalysis;
import org.stillwater.core.analysis.DeviceChanges;
import org.stillwater.core.analysis.DomainXmlReader;
import org.stillwater.core.analysis.DomainXmlReader.Domain;
import org.stillwater.core.analysis.DomainXmlReader.UnreadableDomain;
import org.stillwater.core.analysis.FoundSpecification;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.definition.VmDevice;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.store.DeviceUpdate;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.vm.PlacementFields;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.monitoring.write.StoreTask;

/**
 * Keeps the saved devices of one host's known VMs true (monitoring specification §4.12). Used by
 * the host's thread only.
 *
 * <p>A report carries a hash of the VM's devices. If it differs from the hash of the saved ones,
 * the VM waits, and one call reads all waiting VMs of the host. The answer is compared with the
 * saved devices on the writer's thread, and saved, hash last, in one transaction, under the VM's
 * devices lock.
 *
 * <p>The hash in memory is updated only after a successful save. After any failure on the way (lock
 * taken, call failed, XML not understood, row refused) the next report therefore differs again and
 * restarts the reading.
 *
 * <p>It is long because a reading of devices is one state machine.
 */
public final class DeviceMonitor {

    private static final Logger LOG = LoggerFactory.getLogger(DeviceMonitor.class);

    /** Number of one host's answers with devices that may wait for the database. */
    private static final int MOST_SAVINGS = 4;

    private final HostId host;
    private final DeviceServices services;
    private final HostThread thread;
    private final ThrottledLog warnings;
    private final DomainXmlReader domains;
    private final int limit;
    private final FailedReads failures;
    private final DomainXmlPace pace;

    /** The newest hash of each VM with devices that by their hash are not the saved ones. */
    private final Map<VmId, String> changed = new LinkedHashMap<>();

    /** VMs with devices being read or saved. */
    private final Set<VmId> underWay = new HashSet<>();

    /** Interfaces that are saved, but not in memory because the VM's lock was taken. */
    private final Map<VmId, List<VmNic>> nicsToTake = new HashMap<>();

    private @Nullable HostConnection asked;
    private int savingsPending;

    /**
     * A monitor without changes.
     *
     * @param domains reads domain XML
     * @param limit most waiting VMs
     * @param chunk most VMs of one request
     * @param interval of the statistics cycle
     * @param longestPause longest pause after a failed read of a VM's devices
     */
    public DeviceMonitor(
            HostId host,
            DeviceServices services,
            HostThread thread,
            ThrottledLog warnings,
            DomainXmlReader domains,
            int limit,
            int chunk,
            Duration interval,
            Duration longestPause) {
        this.host = host;
        this.services = services;
        this.thread = thread;
        this.warnings = warnings;
        this.domains = domains;
        this.limit = limit;
        // Half a cycle: the next cycle tries again.
        long firstNanos = interval.toNanos() / 2;
        this.failures = new FailedReads(limit, firstNanos, longestPause.toNanos());
        this.pace = new DomainXmlPace(chunk, firstNanos, longestPause.toNanos());
    }

    /** A VM that is at home here was reported; under its lock. */
    public void reported(VmManager vm, VmReport.Running running) {
        if (!nicsToTake.isEmpty()) {
            takeNics(vm);
        }
        String hash = running.deviceHash();
        if (hash == null) {
            return;
        }
        if (vm.devices().isCurrent(hash)) {
            if (!changed.isEmpty()) {
                changed.remove(vm.id());
            }
        } else if (running.runtime().status() != VmStatus.MIGRATING_TO
                && !failures.isPaused(vm.id(), services.clock().nanoTime())
                && (changed.size() < limit || changed.containsKey(vm.id()))) {
            changed.put(vm.id(), hash);
        }
    }

    /**
     * Asks the host for the devices of all changed VMs, unless a request is open or several answers
     * still wait for the database. VMs with locked devices continue to wait.
     */
    @SuppressWarnings("ReferenceEquality") // a call belongs to the connection it was made on
    public void ask() {
        HostConnection open = thread.connection();
        if (open == null || open == asked || changed.isEmpty() || savingsPending >= MOST_SAVINGS) {
            return;
        }
        Map<VmId, String> next = new LinkedHashMap<>();
        List<Reading> adopted = new ArrayList<>();
        boolean due = pace.isDue(services.clock().nanoTime());
        changed.entrySet().removeIf(entry -> isSettled(entry.getKey(), entry.getValue()));
        for (Map.Entry<VmId, String> entry : changed.entrySet()) {
            VmManager vm = services.registry().find(entry.getKey());
            if (vm == null || underWay.contains(entry.getKey()) || vm.devices().isLocked()) {
                continue;
            }
            if (vm.devices().adoptsNextHash()) {
                if (vm.devices().tryLock()) {
                    adopted.add(new Reading(vm, entry.getValue(), null, null, 0, 0));
                }
            } else if (due && next.size() < pace.chunk()) {
                next.put(entry.getKey(), entry.getValue());
            }
        }
        save(adopted);
        next.keySet().forEach(changed::remove);
        if (!next.isEmpty()) {
            asked = open;
            underWay.addAll(next.keySet());
            long askedNanos = services.clock().nanoTime();
            open.domainXmls(
                    List.copyOf(next.keySet()),
                    answer -> thread.run("devices", () -> answered(next, askedNanos, answer)));
        }
    }

    private boolean isSettled(VmId id, String hash) {
        VmManager vm = services.registry().find(id);
        return vm == null || vm.devices().isCurrent(hash);
    }

    private void answered(
            Map<VmId, String> hashes, long askedNanos, HostAnswer<Map<VmId, String>> answer) {
        asked = null;
        hashes.keySet().forEach(underWay::remove);
        switch (answer) {
            case HostAnswer.Success<Map<VmId, String>>(Map<VmId, String> xmls) -> {
                pace.answered();
                List<Reading> readings = new ArrayList<>();
                hashes.forEach((id, hash) -> {
                    String xml = xmls.get(id);
                    Reading reading = xml == null ? null : read(id, hash, xml, askedNanos);
                    if (reading != null) {
                        failures.succeeded(id);
                        readings.add(reading);
                    }
                });
                save(readings);
                ask();
            }
            case HostAnswer.Failed<Map<VmId, String>>(HostFailure failure) -> {
                warnings.about("domain XML failed", failure.describe());
                if (DomainXmlPace.isOfTheCall(failure)) {
                    refused(hashes, failure);
                }
            }
        }
    }

    /** One VM can spoil the call for all: they are requested in halves, down to single VMs. */
    private void refused(Map<VmId, String> hashes, HostFailure failure) {
        long now = services.clock().nanoTime();
        if (pace.failed(hashes.size(), failure, now)) {
            hashes.forEach(changed::putIfAbsent);
        } else {
            hashes.keySet().forEach(id -> failures.failed(id, failure.describe(), now));
        }
        ask();
    }

    /** The host's agent may have been replaced since the failure. */
    public void connected() {
        pace.reset();
        failures.clear();
    }

    /** Evaluates an answer about one VM and locks its devices; null if the VM cannot be updated. */
    private @Nullable Reading read(VmId id, String hash, String xml, long askedNanos) {
        VmManager vm = services.registry().find(id);
        if (vm == null || !isAtHome(vm)) {
            return null;
        }
        Domain domain;
        VmSpecification specification = null;
        try {
            // The definition of a found VM follows its host.
            if (vm.definition().origin().isFound()) {
                DomainXmlReader.Found found = domains.readFound(id, xml);
                domain = found.domain();
                specification = HostReach.reported(found.specification());
            } else {
                domain = domains.read(id, xml);
            }
        } catch (UnreadableDomain e) {
            failures.unreadable(id, "not understood", services.clock().nanoTime());
            warnings.about("domain XML not understood", "vm=" + id + ": " + e.getMessage());
            return null;
        } catch (RuntimeException e) {
            // One VM's document must not cost the others of the same answer.
            failures.unreadable(id, "not understood", services.clock().nanoTime());
            warnings.about("domain XML not understood", "vm=" + id + ": " + e, e);
            return null;
        }
        String cd = domain.devices().cd();
        if (cd != null) {
            takeCd(vm, cd, askedNanos);
        }
        if (!vm.devices().tryLock()) {
            return null;
        }
        return new Reading(
                vm,
                hash,
                domain,
                specification,
                DeviceDigest.of(domain, specification),
                askedNanos);
    }

    /**
     * Keeps which CD is in the drive, unless the VM changed after the list was requested: a command
     * that exchanges the CD keeps it itself. Older hosts report the name of the image alone.
     */
    private void takeCd(VmManager vm, String cd, long askedNanos) {
        if (!vm.tryLock()) {
            return;
        }
        try {
            VmState before = vm.state();
            String known = before.runtime().text(RuntimeField.CURRENT_CD);
            boolean same =
                    cd.equals(known == null ? "" : known)
                            || cd.substring(cd.lastIndexOf('/') + 1).equals(known);
            if (same || !vm.unchangedSince(askedNanos)) {
                return;
            }
            VmRuntime runtime = before.runtime().with(RuntimeField.CURRENT_CD, cd);
            RuntimeFields fields = runtime.differencesFrom(before.runtime());
            long nanos = services.clock().nanoTime();
            vm.changed(nanos, host);
            services.feed()
                    .vmChanged(
                            vm,
                            new VmState(
                                    runtime, before.placement(), 0, services.clock().now(), nanos),
                            fields,
                            false);
            services.writer()
                    .changed(
                            vm.id(),
                            runtime,
                            fields,
                            before.placement(),
                            PlacementFields.NONE,
                            List.of(),
                            nanos);
        } finally {
            vm.unlock();
        }
    }

    private boolean isAtHome(VmManager vm) {
        if (!vm.tryLock()) {
            return false;
        }
        try {
            return vm.isAt(services.registry().on(host));
        } finally {
            vm.unlock();
        }
    }

    private void save(List<Reading> readings) {
        if (!readings.isEmpty()) {
            readings.forEach(reading -> underWay.add(reading.vm().id()));
            savingsPending++;
            services.writer().perform(new Saving(readings));
        }
    }

    /**
     * Read devices of one VM, with its devices lock held until they are saved.
     *
     * @param domain devices that the host lists; null when only the hash must be saved
     * @param specification definition of a found VM by the same list; null for another one
     * @param digest of the domain and the definition
     * @param askedNanos time of the request to the host
     */
    private record Reading(
            VmManager vm,
            String hash,
            @Nullable Domain domain,
            @Nullable VmSpecification specification,
            long digest,
            long askedNanos) {

        /** Whether the saved devices were compared with this very list already. */
        boolean saysNothingNew() {
            return domain == null || vm.devices().digest() == digest;
        }
    }

    /** Compares read devices with saved ones, and saves them. */
    private final class Saving implements StoreTask {
        private final List<Reading> readings;
        private List<Step> steps = List.of();

        /** Update of one VM. */
        private record Step(
                Reading reading, DeviceUpdate update, @Nullable DeviceChanges changes) {}

        Saving(List<Reading> readings) {
            this.readings =
                    readings.stream()
                            .sorted(Comparator.comparing(reading -> reading.vm().id()))
                            .toList();
        }

        @Override
        public WriteOutcome write() {
            List<VmId> toLoad =
                    readings.stream()
                            .filter(reading -> !reading.saysNothingNew())
                            .map(reading -> reading.vm().id())
                            .toList();
            Map<VmId, List<VmDevice>> saved = Map.of();
            if (!toLoad.isEmpty()) {
                try {
                    saved = services.devices().load(toLoad);
                } catch (StoreUnavailable e) {
                    return new WriteOutcome.Unavailable(String.valueOf(e.getMessage()));
                }
            }
            Map<UUID, VmId> owners = Map.of();
            List<UUID> newNics = newNics();
            if (!newNics.isEmpty()) {
                try {
                    owners = services.vms().interfaceOwners(newNics);
                } catch (StoreUnavailable e) {
                    return new WriteOutcome.Unavailable(String.valueOf(e.getMessage()));
                }
            }
            List<Step> next = new ArrayList<>();
            for (Reading reading : readings) {
                next.add(step(reading, saved.getOrDefault(reading.vm().id(), List.of()), owners));
            }
            steps = next;
            return services.devices().save(next.stream().map(Step::update).toList());
        }

        /** Reported interfaces that the definitions which follow the host do not have yet. */
        private List<UUID> newNics() {
            List<UUID> all = new ArrayList<>();
            for (Reading reading : readings) {
                Domain domain = reading.domain();
                VmStatic definition = reading.vm().definition();
                if (domain != null && definition.origin() == VmOrigin.EXTERNAL) {
                    Set<UUID> known = new HashSet<>();
                    definition.nics().forEach(nic -> known.add(nic.id()));
                    for (VmNic nic : domain.definition().nics()) {
                        if (!known.contains(nic.id())) {
                            all.add(nic.id());
                        }
                    }
                }
            }
            return all;
        }

        private Step step(Reading reading, List<VmDevice> saved, Map<UUID, VmId> owners) {
            VmManager vm = reading.vm();
            Domain domain = reading.domain();
            if (domain == null || reading.saysNothingNew()) {
                return new Step(reading, DeviceUpdate.ofHash(vm.id(), reading.hash()), null);
            }
            DeviceChanges changes =
                    DeviceAnalysis.compare(
                            saved,
                            domain.devices(),
                            device -> vm.devices().changedSince(device, reading.askedNanos()));
            List<VmNic> nics = nics(vm, domain, owners);
            VmSpecification specification = reading.specification();
            return new Step(
                    reading,
                    new DeviceUpdate(
                            vm.id(),
                            changes.isComplete() ? reading.hash() : null,
                            changes.updates(),
                            changes.removals().stream().map(VmDevice::id).toList(),
                            changes.additions(),
                            nics,
                            specification == null
                                    ? null
                                    : FoundSpecification.withNics(
                                            specification,
                                            nics == null ? vm.definition().nics() : nics)),
                    changes);
        }

        /** The interfaces as they are now, if the definition follows the host and they changed. */
        private static @Nullable List<VmNic> nics(
                VmManager vm, Domain domain, Map<UUID, VmId> owners) {
            VmStatic definition = vm.definition();
            if (definition.origin() != VmOrigin.EXTERNAL) {
                return null;
            }
            List<VmNic> next =
                    DeviceAnalysis.followNics(
                            definition.nics(),
                            DeviceAnalysis.ownNics(
                                    vm.id(),
                                    definition.nics(),
                                    domain.definition().nics(),
                                    owners));
            return next.equals(definition.nics()) ? null : next;
        }

        @Override
        public void written(WriteOutcome.Written outcome) {
            Set<String> refused = new HashSet<>();
            outcome.rejected().forEach(row -> refused.add(row.key()));
            Map<VmId, List<VmNic>> nics = new HashMap<>();
            for (Step step : steps) {
                Reading reading = step.reading();
                VmManager vm = reading.vm();
                if (!refused.contains(vm.id().toString())) {
                    if (step.update().hash() != null) {
                        vm.devices()
                                .saved(
                                        reading.hash(),
                                        reading.domain() == null
                                                ? vm.devices().digest()
                                                : reading.digest());
                        vm.devices().forgetChangesBefore(reading.askedNanos());
                    }
                    if (step.changes() != null) {
                        follow(vm, step.changes());
                    }
                    List<VmNic> changedNics = step.update().nics();
                    if (changedNics != null) {
                        nics.put(vm.id(), changedNics);
                    }
                }
            }
            unlock();
            thread.run("devices saved", () -> end(nics));
        }

        private void follow(VmManager vm, DeviceChanges changes) {
            for (VmDevice removed : changes.removals()) {
                if (removed.type().equals(DeviceAnalysis.MEMORY)) {
                    vm.devices().memoryUnplugEnded(removed.id());
                }
            }
            for (VmDevice missed : changes.missed()) {
                LOG.warn(
                        "vm={} managed device that cannot be unplugged is gone: {} {}",
                        vm.id(),
                        missed.type(),
                        missed.id());
            }
            LOG.debug("vm={} devices on host={}: {}", vm.id(), host, changes);
        }

        private void end(Map<VmId, List<VmNic>> nics) {
            savingsPending--;
            readings.forEach(reading -> underWay.remove(reading.vm().id()));
            nicsToTake.putAll(nics);
            for (VmId id : nics.keySet()) {
                VmManager vm = services.registry().find(id);
                if (vm == null) {
                    nicsToTake.remove(id);
                } else if (vm.tryLock()) {
                    try {
                        takeNics(vm);
                    } finally {
                        vm.unlock();
                    }
                }
            }
            ask();
        }

        @Override
        public void abandoned() {
            unlock();
            thread.run("devices not saved", () -> end(Map.of()));
        }

        private void unlock() {
            readings.forEach(reading -> reading.vm().devices().unlock());
        }
    }

    private void takeNics(VmManager vm) {
        List<VmNic> nics = nicsToTake.remove(vm.id());
        if (nics == null) {
            return;
        }
        vm.redefine(vm.definition().withNics(nics));
        services.registry().redefined();
    }

    /** Forgets waiting VMs, for the end of monitoring. */
    public void clear() {
        changed.clear();
        failures.clear();
        underWay.clear();
        nicsToTake.clear();
    }
}
