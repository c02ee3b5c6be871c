package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.model.VmId;
import org.stillwater.core.regression.Finding;
import org.stillwater.core.regression.RegressionMetric;
import org.stillwater.core.regression.SeriesOwner;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.SimulatedHost;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.regression.RegressionMonitor;
import org.stillwater.monitoring.regression.RegressionSettings;
import org.stillwater.testkit.VirtualClock;
import tools.jackson.databind.JsonNode;

/**
 * The simulator slows a storage domain down while its hosts get another version of VDSM. A monitor
 * on a virtual clock, with a point for each poll, must find it over the real wire and database.
 */
@Tag("full")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class SlowStorageDomainIT {

    private static final String DOMAIN = "0d9c8b7a-6f5e-4d3c-8b2a-1f0e9d8c7b6a";
    private static final String VERSION = "4.50.99";
    private static final Set<String> CONFUSED = Set.of(SeriesOwner.HOST, SeriesOwner.CLUSTER);
    private static final Set<RegressionMetric> STORAGE =
            Set.of(
                    RegressionMetric.DISK_READ_LATENCY,
                    RegressionMetric.DISK_WRITE_LATENCY,
                    RegressionMetric.STORAGE_DELAY);
    private static final Duration SAMPLE = Duration.ofSeconds(15);
    private static final int BEFORE = 36;
    private static final int MOST_AFTER = 12;

    private static final int HOSTS = 3;
    private static final int VMS_PER_HOST = 20;

    @TempDir Path folder;
    private final VirtualClock clock = new VirtualClock();
    private RunningEngine engine;
    private SimulatedFleet fleet;
    private RegressionMonitor monitor;

    @Test
    void aSlowStorageDomainIsOneFindingWithTheUpgradeThatCameWithIt() throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                SimulatedFleet hosts =
                        SimulatedFleet.start(folder, WorldSettings.of(19, HOSTS, VMS_PER_HOST));
                RunningEngine started =
                        RunningEngine.start(
                                database,
                                hosts.engineArguments(),
                                "--stillwater.cycle.interval=250ms",
                                "--stillwater.regressions.enabled=false")) {
            engine = started;
            fleet = hosts;
            engine.awaitHostsUp(HOSTS);
            RunningEngine.await(
                    () -> engine.monitoring().fleet().vmCount() == HOSTS * VMS_PER_HOST,
                    () -> engine.monitoring().fleet().vmCount() + " VMs");
            fleet.world().advance(Duration.ofMinutes(1));
            monitor = monitor();
            isFoundAndTiedToTheUpgrade();
        }
    }

    private RegressionMonitor monitor() {
        return new RegressionMonitor(
                new RegressionSettings(
                        SAMPLE, SAMPLE, 100, 100_000, 0.2, 100, Duration.ofDays(1), 1_000),
                engine.monitoring().fleet(),
                this::places,
                engine.database().findings(),
                engine.monitoring().commandAccess()::audit,
                clock,
                new SimpleMeterRegistry());
    }

    /** Where disks are, as definitions would have it: the VMs of this fleet were found on hosts. */
    private Map<VmId, Map<UUID, UUID>> places(Collection<VmId> wanted) {
        Map<VmId, Map<UUID, UUID>> places = new HashMap<>();
        for (JsonNode host : RunningEngine.JSON.readTree(fleet.world().state()).path("hosts")) {
            for (JsonNode vm : host.path("vms")) {
                Map<UUID, UUID> own =
                        places.computeIfAbsent(
                                VmId.parse(vm.path("id").asString()), _ -> new HashMap<>());
                for (JsonNode disk : vm.path("disks")) {
                    if (disk.path("imageId").isString()) {
                        own.put(
                                UUID.fromString(disk.path("imageId").asString()),
                                UUID.fromString(disk.path("storageDomainId").asString()));
                    }
                }
            }
        }
        places.keySet().retainAll(wanted);
        return places;
    }

    private void isFoundAndTiedToTheUpgrade() {
        monitor.turn(); // what is known of hosts and VMs now
        points(BEFORE);
        List<Finding> usual = monitor.findings();
        List<SimulatedHost> hosts = fleet.world().hosts();
        hosts.forEach(host -> host.upgrade(VERSION, Duration.ZERO));
        hosts.getFirst().slowDown(UUID.fromString(DOMAIN), List.of(), "step", 400, Duration.ZERO);
        assertThat(fleet.world().state()).contains("\"level\": \"storage-domain\"");
        RunningEngine.await(
                () -> {
                    fleet.world().advance(Duration.ofSeconds(1));
                    return engine.monitoring().fleet().hosts().stream()
                            .allMatch(SlowStorageDomainIT::isUpgraded);
                },
                () -> "hosts without version " + VERSION);
        engine.awaitHostsUp(hosts.size());
        // Samples of hosts start anew with VDSM.
        fleet.world().advance(SAMPLE.multipliedBy(2));
        Instant begin = clock.now();

        points(MOST_AFTER);

        List<Finding> found =
                monitor.findings().stream()
                        .filter(each -> !usual.contains(each))
                        .filter(each -> isNear(each.begin(), begin))
                        .filter(SlowStorageDomainIT::isOfSharedStorage)
                        .toList();
        assertThat(found)
                .extracting(Finding::where)
                .containsExactly(new SeriesOwner.Shared(SeriesOwner.STORAGE_DOMAIN, DOMAIN));
        Finding finding = found.getFirst();
        assertThat(finding.coincidences().getFirst().text()).endsWith(" became " + VERSION);
        assertThat(finding.coincidences().getFirst().share()).isEqualTo(1);

        engine.bean(RegressionMonitor.class).turn(); // reads what the database has
        JsonNode list = engine.json("/api/v1/findings?level=storage-domain");
        String id = finding.id().toString();
        assertThat(list.path("items").findValuesAsString("id")).contains(id);
        JsonNode details = engine.json("/api/v1/findings/" + id);
        assertThat(details.path("members").size()).isEqualTo(finding.memberCount());
        assertThat(details.path("evidence").get(0).path("values").size()).isGreaterThan(MOST_AFTER);
        assertThat(
                        engine.post(
                                        "/api/v1/findings/" + id + "/acknowledge",
                                        "{\"comment\": \"known\"}")
                                .statusCode())
                .isEqualTo(200);
        assertThat(
                        engine.json("/api/v1/findings/" + id)
                                .path("finding")
                                .path("acknowledged")
                                .path("comment")
                                .asString())
                .isEqualTo("known");
        assertThat(engine.json("/api/v1/events?event=REGRESSION_FOUND").path("items").toString())
                .contains(id);
    }

    private static boolean isNear(Instant one, Instant other) {
        return Duration.between(one, other).abs().compareTo(SAMPLE.multipliedBy(4)) <= 0;
    }

    /**
     * About the domain or what it could be confused with. Agents answer in the time of this machine,
     * and noise of one disk of 500, or of the other domain, may look like a step.
     */
    private static boolean isOfSharedStorage(Finding finding) {
        boolean isShared =
                finding.where().name().equals(DOMAIN)
                        || CONFUSED.contains(finding.where().level());
        return isShared
                && finding.changes().stream()
                        .anyMatch(change -> STORAGE.contains(change.metric()));
    }

    private static boolean isUpgraded(HostView host) {
        var capabilities = host.state().capabilities();
        return capabilities != null && VERSION.equals(capabilities.software().version());
    }

    /** So many polls of every host, each with fresh numbers, and a point of each series. */
    private void points(int count) {
        for (int i = 0; i < count; i++) {
            fleet.world().advance(SAMPLE);
            Map<Object, Instant> before = new HashMap<>();
            for (HostView host : engine.monitoring().fleet().hosts()) {
                if (host.statisticsAt() != null) {
                    before.put(host.state().definition().id(), host.statisticsAt());
                }
            }
            engine.pollAll();
            RunningEngine.await(
                    () ->
                            engine.monitoring().fleet().hosts().stream()
                                    .allMatch(host -> isLater(host, before)),
                    () -> "no fresh statistics");
            clock.advance(SAMPLE);
            monitor.turn();
        }
    }

    private static boolean isLater(HostView host, Map<Object, Instant> before) {
        Instant at = host.statisticsAt();
        Instant last = before.get(host.state().definition().id());
        return at != null && (last == null || at.isAfter(last));
    }
}
