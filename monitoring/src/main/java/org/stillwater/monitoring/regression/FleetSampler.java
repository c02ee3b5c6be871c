package org.stillwater.monitoring.regression;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.regression.FleetSeries;
import org.stillwater.core.regression.MeasuredSeries;
import org.stillwater.core.regression.RegressionMetric;
import org.stillwater.core.regression.SeriesOwner;
import org.stillwater.core.store.DiskPlaces;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.host.HostHealth;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmNumbers;
import org.stillwater.monitoring.vm.VmReading;

/**
 * Takes samples of the whole fleet from memory, without a lock of a VM. The database is read only
 * for the disks of VMs that are new, or have a changed definition or changed devices. One thread.
 */
final class FleetSampler {

    private static final Logger LOG = LoggerFactory.getLogger(FleetSampler.class);

    /** VMs of one request for disks. */
    private static final int MOST_ASKED = 1_000;

    private static final double MILLIS_PER_SECOND = 1_000;

    private final FleetReader fleet;
    private final DiskPlaces places;
    private final Map<VmId, MeasuredVm> vms = new HashMap<>();
    private final Map<HostId, MeasuredHost> hosts = new HashMap<>();
    private final Map<String, Integer> vmsOfDomains = new HashMap<>();
    private final Map<VmId, Set<UUID>> domains = new HashMap<>();
    private final VmNumbers numbers = new VmNumbers();
    private final ChangeRecorder changes;
    private final FleetSeries series;
    private long pass;

    FleetSampler(
            FleetReader fleet,
            DiskPlaces places,
            RegressionMonitor.Recorder log,
            EngineClock clock,
            int mostChanges,
            FleetSeries series) {
        this.fleet = fleet;
        this.places = places;
        this.series = series;
        this.changes =
                new ChangeRecorder(
                        fleet,
                        clock,
                        mostChanges,
                        log,
                        new ChangeRecorder.Durations() {
                            @Override
                            public void migrated(HostId source, Duration took) {
                                took(RegressionMetric.MIGRATION_DURATION, source, took);
                            }

                            @Override
                            public void booted(HostId host, Duration took) {
                                took(RegressionMetric.BOOT_TIME, host, took);
                            }
                        });
    }

    ChangeRecorder changes() {
        return changes;
    }

    private void took(RegressionMetric metric, HostId host, Duration took) {
        HostView view = fleet.host(host);
        if (view != null) {
            ClusterId cluster = view.state().definition().cluster();
            MeasuredSeries _ =
                    MeasuredVm.added(
                            null,
                            metric,
                            () -> Owners.host(host, cluster),
                            took.toMillis() / MILLIS_PER_SECOND,
                            series);
        }
    }

    /** Samples every VM and host. */
    void sample() {
        pass++;
        changes.follow();
        List<MeasuredVm> redefined = new ArrayList<>();
        List<VmReading> waiting = new ArrayList<>();
        for (VmReading vm : fleet.readings()) {
            MeasuredVm measured = vms.get(vm.id());
            if (measured == null) {
                measured = new MeasuredVm(vm.id());
                vms.put(vm.id(), measured);
            }
            measured.pass = pass;
            if (measured.isRedefined(vm, places.revision(vm.id()))) {
                if (redefined.size() < MOST_ASKED) {
                    redefined.add(measured);
                    waiting.add(vm);
                }
            } else {
                measured.sample(vm, numbers, series);
            }
        }
        define(redefined, waiting);
        vms.values()
                .removeIf(vm -> {
                    if (vm.pass == pass) {
                        return false;
                    }
                    forget(vm.id());
                    return true;
                });
        sampleHosts();
    }

    private void define(List<MeasuredVm> redefined, List<VmReading> readings) {
        if (redefined.isEmpty()) {
            return;
        }
        long[] digests = readings.stream().mapToLong(VmReading::deviceDigest).toArray();
        long[] revisions = readings.stream().mapToLong(vm -> places.revision(vm.id())).toArray();
        Map<VmId, Map<UUID, UUID>> found;
        try {
            found = places.of(redefined.stream().map(MeasuredVm::id).toList());
        } catch (StoreUnavailable e) {
            LOG.debug("disks are asked for again with the next sample: {}", e.getMessage());
            return;
        }
        for (int i = 0; i < redefined.size(); i++) {
            MeasuredVm vm = redefined.get(i);
            Map<UUID, UUID> own = found.getOrDefault(vm.id(), Map.of());
            forget(vm.id());
            Set<UUID> used = Set.copyOf(own.values());
            domains.put(vm.id(), used);
            used.forEach(domain -> vmsOfDomains.merge(domain.toString(), 1, Integer::sum));
            vm.defined(readings.get(i).definition(), digests[i], revisions[i], own);
            vm.sample(readings.get(i), numbers, series);
        }
    }

    private void forget(VmId vm) {
        Set<UUID> used = domains.remove(vm);
        if (used != null) {
            for (UUID domain : used) {
                vmsOfDomains.computeIfPresent(
                        domain.toString(), (_, users) -> users == 1 ? null : users - 1);
            }
        }
    }

    private void sampleHosts() {
        Map<HostId, @Nullable Duration> answers = new HashMap<>();
        for (HostHealth health : fleet.hostHealth()) {
            answers.put(health.definition().id(), health.answers().last());
        }
        for (HostView host : fleet.hosts()) {
            HostId id = host.state().definition().id();
            MeasuredHost measured = hosts.computeIfAbsent(id, MeasuredHost::new);
            measured.pass = pass;
            measured.sample(host, answers.get(id), fleet.eventDelay(id), series, recorded(id));
        }
        hosts.values().removeIf(host -> host.pass != pass);
    }

    private MeasuredHost.Changes recorded(HostId id) {
        return new MeasuredHost.Changes() {
            @Override
            public void linked(String nic, int before, int now) {
                changes.linked(id, nic, before, now);
            }

            @Override
            public void booted() {
                changes.booted(id);
            }
        };
    }

    /** Number of VMs that depend on an object; 0 if that is not known. */
    int vms(SeriesOwner.Shared object) {
        return switch (object.level()) {
            case SeriesOwner.HOST -> on(object.name());
            case SeriesOwner.STORAGE_DOMAIN -> vmsOfDomains.getOrDefault(object.name(), 0);
            case SeriesOwner.CLUSTER -> {
                ClusterId cluster = new ClusterId(UUID.fromString(object.name()));
                yield (int)
                        fleet.readings().stream()
                                .filter(vm -> vm.definition().cluster().equals(cluster))
                                .count();
            }
            default -> 0;
        };
    }

    private int on(String host) {
        return fleet.readingsOn(new HostId(UUID.fromString(host))).size();
    }
}
