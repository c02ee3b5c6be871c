package org.stillwater.xapi.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HostListener;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.time.EngineClock;
import org.stillwater.core.trust.HostCertificate;
import org.stillwater.fake.xapi.net.PoolServer;
import org.stillwater.fake.xapi.world.Pool;
import org.stillwater.fake.xapi.world.PoolSettings;
import org.stillwater.fake.xapi.world.Pools;
import org.stillwater.fake.xapi.world.Store.Row;
import org.stillwater.fake.xapi.world.WorldClock;
import org.stillwater.xapi.client.CertificatePins;
import org.stillwater.xapi.client.Lab;
import org.stillwater.xapi.client.PoolAccess;
import org.stillwater.xapi.client.PoolClaims;
import org.stillwater.xapi.client.PoolConnection;
import org.stillwater.xapi.client.PoolWatch;

/** Many pools beside each other for a long time, which passes quickly. */
@Tag("full") // more than a thousand readings of metrics
@Timeout(300)
class ManyPoolsTest {

    private static final int POOLS = 10;
    private static final int HOSTS = 2;
    private static final int VMS = 50;
    private static final int MINUTES = 60;
    private static final long MOST_GROWTH_BYTES = 16L << 20;

    /** Connections that are open between calls: two loops of each pool, and that of a login. */
    private static final int MOST_PER_POOL = 3;

    private static final CertificatePins NO_PINS =
            new CertificatePins() {
                @Override
                public @Nullable String pinned(String address) {
                    return null;
                }

                @Override
                public void pin(String address, String sha256) {}

                @Override
                public void refused(String address, String sha256) {}

                @Override
                public void seen(String address, Instant notAfter) {}
            };

    private static final HostListener DEAF =
            new HostListener() {
                @Override
                public @Nullable String certificateShown(
                        HostDefinition dialled, HostCertificate shown) {
                    return null;
                }

                @Override
                public void connected() {}

                @Override
                public void disconnected(HostFailure failure) {}

                @Override
                public void vmsChanged(VmReports message) {
                    message.close();
                }

                @Override
                public void migrationProgressed(
                        VmId vmId, int percent, @Nullable Long downtimeMillis) {}

                @Override
                public void networkChanged() {}

                @Override
                public void malformed(String reason) {}
            };

    private static final class Admitting implements PoolInventory {
        final CountDownLatch ready = new CountDownLatch(POOLS);

        @Override
        public void changed(XapiPool pool) {
            pool.takeTouched();
            pool.admit(pool.vms().stream().map(PoolVm::id).toList());
            if (!pool.isReady()) {
                pool.ready();
                ready.countDown();
            }
        }

        @Override
        public void moving(VmId vm, HostId from, HostId to) {}

        @Override
        public void told(XapiPool pool, PoolMessage message, boolean old) {}
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().startsWith("xapi watch"))
                .count();
    }

    /** Connections of this machine to a port, by the kernel; -1 if unknown. */
    private static long connections(int port) throws Exception {
        long all = -1;
        String remote = String.format(Locale.ROOT, ":%04X 01", port);
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            Path file = Path.of(table);
            if (Files.isReadable(file)) {
                long found =
                        Files.readAllLines(file).stream()
                                .filter(each -> each.contains(remote))
                                .count();
                all = Math.max(all, 0) + found;
            }
        }
        return all;
    }

    private static long usedBytes() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    @Test
    @DisplayName("X61 ten pools for an hour of theirs: threads, connections and memory do not grow")
    void anHour() throws Exception {
        AtomicLong passed = new AtomicLong();
        EngineClock clock =
                new EngineClock() {
                    @Override
                    public long nanoTime() {
                        return Lab.CLOCK.nanoTime() + passed.get();
                    }

                    @Override
                    public Instant now() {
                        return Lab.CLOCK.now().plusNanos(passed.get());
                    }
                };
        try (Pools world = new Pools(new WorldClock(0))) {
            List<Pool> pools = new ArrayList<>();
            Map<Pool, String> coordinators = new HashMap<>();
            for (int i = 0; i < POOLS; i++) {
                List<String> addresses = List.of("127.15." + i + ".1", "127.15." + i + ".2");
                Pool pool = world.add(PoolSettings.today(), 7 + i, "p" + i, addresses, VMS);
                pools.add(pool);
                coordinators.put(pool, addresses.getFirst());
            }
            Admitting inventory = new Admitting();
            PoolClaims claims = new PoolClaims();
            List<HostConnection> hosts = new ArrayList<>();
            try (PoolServer server = PoolServer.start(world, 0, false);
                    XapiHosts watched =
                            new XapiHosts(clock, Duration.ofSeconds(20), Duration.ofMinutes(2))) {
                for (Pool pool : pools) {
                    watched.watch(
                            pool.itself().text("name_label"),
                            server.port(),
                            new PoolConnection(
                                    PoolAccess.of(
                                                    List.of(coordinators.get(pool)),
                                                    server.port(),
                                                    "root",
                                                    () -> "stillwater",
                                                    "engine-1")
                                            .plain(),
                                    NO_PINS,
                                    claims,
                                    clock),
                            inventory,
                            PoolWatch.Sync.EVENTS,
                            PoolWatch.Times.USUAL);
                }
                assertThat(inventory.ready.await(60, TimeUnit.SECONDS)).isTrue();
                for (XapiPool pool : watched.pools()) {
                    for (PoolHost host : pool.hosts()) {
                        hosts.add(
                                watched.open(
                                        new HostDefinition(
                                                host.id(),
                                                host.name(),
                                                host.address(),
                                                server.port(),
                                                pool.cluster()),
                                        DEAF));
                    }
                }
                assertThat(hosts).hasSize(POOLS * HOSTS);
                long early = 0;
                for (int minute = 0; minute < MINUTES; minute++) {
                    aMinute(world, pools, hosts, passed);
                    if (minute == MINUTES / 4) {
                        early = usedBytes();
                    }
                }
                assertThat(threads()).isEqualTo(2L * POOLS);
                assertThat(connections(server.port()))
                        .isLessThanOrEqualTo(POOLS * MOST_PER_POOL + POOLS * HOSTS);
                assertThat(usedBytes() - early).isLessThan(MOST_GROWTH_BYTES);
                for (XapiPool pool : watched.pools()) {
                    assertThat(pool.trouble()).isNull();
                    assertThat(pool.vms()).hasSize(VMS);
                }
            }
            assertThat(threads()).isZero();
        }
    }

    /** Changes in each pool, and the metrics of each host. */
    private static void aMinute(
            Pools world, List<Pool> pools, List<HostConnection> hosts, AtomicLong passed)
            throws InterruptedException {
        world.clock().advance(Duration.ofMinutes(1));
        passed.addAndGet(Duration.ofMinutes(1).toNanos());
        for (Pool pool : pools) {
            Row itself = pool.itself();
            pool.order("pool", itself.text("uuid"), "storm", Map.of("changes", "20"));
        }
        for (HostConnection host : hosts) {
            BlockingQueue<HostAnswer<VmReports>> answers = new LinkedBlockingQueue<>();
            host.vmStatistics(answers::add);
            HostAnswer<VmReports> answer = Lab.take(answers);
            assertThat(answer).isInstanceOf(HostAnswer.Success.class);
            ((HostAnswer.Success<VmReports>) answer).value().close();
        }
    }
}
