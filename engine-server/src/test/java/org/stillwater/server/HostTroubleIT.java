package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.audit.AuditFilter;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.SimulatedHost;
import org.stillwater.fake.world.WorldSettings;

/** A host's shortage becomes one event, and its end shows at once. */
@Timeout(90)
class HostTroubleIT {

    private static final String CARD = "ens1f0";
    private static final String LOGS = "/var/log";

    @TempDir static Path folder;
    private static TestDatabase database;
    private static SimulatedFleet fleet;
    private static RunningEngine engine;
    private static SimulatedHost host;

    @BeforeAll
    static void start() throws Exception {
        database = TestDatabase.migrated();
        fleet = SimulatedFleet.start(folder, WorldSettings.of(31, 1, 1));
        host = fleet.world().hosts().getFirst();
        engine =
                RunningEngine.start(
                        database, fleet.engineArguments(), "--stillwater.cycle.interval=200ms");
        engine.awaitHostsUp(1);
        RunningEngine.await(() -> numbers() != null, () -> "no numbers");
    }

    @AfterAll
    static void stop() {
        engine.close();
        fleet.close();
        database.close();
    }

    @Test
    void theLossAndReturnOfALinkAreReported() {
        host.setLink(CARD, false);
        awaitEvents(AuditEvent.HOST_BOND_SLAVE_STATE_DOWN, 1);
        awaitLink(false);

        host.setLink(CARD, true);
        awaitEvents(AuditEvent.HOST_BOND_SLAVE_STATE_UP, 1);
        awaitLink(true);

        host.setLink(CARD, false);
        awaitEvents(AuditEvent.HOST_BOND_SLAVE_STATE_DOWN, 2);
        host.setLink(CARD, true);
        awaitEvents(AuditEvent.HOST_BOND_SLAVE_STATE_UP, 2);
    }

    @Test
    void aFullSwapSpaceIsReportedOnceAndShownEmptyAgain() {
        long free = numbers().memory().swapFreeMebibytes();
        host.fillSwap(99);
        awaitEvents(AuditEvent.VDS_HIGH_SWAP_USE, 1);

        host.fillSwap(0);
        RunningEngine.await(
                () -> numbers().memory().swapFreeMebibytes() >= free, () -> numbers().toString());
        host.fillSwap(99);
        RunningEngine.await(
                () -> numbers().memory().swapFreeMebibytes() < free, () -> numbers().toString());
        host.fillSwap(0);
        RunningEngine.await(
                () -> numbers().memory().swapFreeMebibytes() >= free, () -> numbers().toString());
        assertThat(events(AuditEvent.VDS_HIGH_SWAP_USE)).as("within half an hour").hasSize(1);
    }

    @Test
    void aFullFileSystemIsReportedWithItsPath() {
        Long free = numbers().localDisksFreeMebibytes().get(LOGS);
        host.leaveOnDisk(LOGS, 50);
        awaitEvents(AuditEvent.VDS_LOW_DISK_SPACE_ERROR, 1);
        assertThat(events(AuditEvent.VDS_LOW_DISK_SPACE_ERROR).getFirst().text())
                .contains("50 MiB", LOGS);

        host.leaveOnDisk(LOGS, Math.toIntExact(free));
        RunningEngine.await(
                () -> free.equals(numbers().localDisksFreeMebibytes().get(LOGS)),
                () -> numbers().toString());
        assertThat(events(AuditEvent.VDS_LOW_DISK_SPACE_ERROR)).hasSize(1);
    }

    /** An event may be told a moment before the numbers that caused it are shown. */
    private static void awaitLink(boolean up) {
        RunningEngine.await(
                () -> up == numbers().nics().get(CARD).up(), () -> numbers().toString());
    }

    private static HostStatistics numbers() {
        return engine.monitoring().fleet().hosts().getFirst().statistics();
    }

    private static void awaitEvents(AuditEvent event, int count) {
        RunningEngine.await(
                () -> events(event).size() >= count, () -> events(event) + " of " + numbers());
        assertThat(events(event)).hasSize(count);
    }

    /** Newest first. */
    private static List<AuditEntry> events(AuditEvent event) {
        try {
            return engine.monitoring().events().newest(AuditFilter.ANY, null, 1000).stream()
                    .filter(entry -> entry.event() == event)
                    .toList();
        } catch (StoreUnavailable e) {
            throw new AssertionError(e);
        }
    }
}
