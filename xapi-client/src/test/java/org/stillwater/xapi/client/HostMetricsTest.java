package org.stillwater.xapi.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.fake.xapi.net.FaultKind;
import org.stillwater.fake.xapi.world.PoolSettings.Era;
import org.stillwater.fake.xapi.world.Store.Row;

class HostMetricsTest {

    private static final Path MESSAGES = Path.of("../fake-xapi/src/test/resources/xapi/messages");
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int POLLS = 1_000;

    private static RrdUpdates sample(RrdDecoder decoder, String name) throws IOException {
        try (var in = Files.newInputStream(MESSAGES.resolve("rrd-updates-" + name))) {
            return decoder.decode(in);
        }
    }

    @Test
    @DisplayName("X48, X49 the four notations of one answer give equal numbers, newest row first")
    void notations() throws IOException {
        for (String rows : List.of("0rows", "1row", "3rows")) {
            RrdUpdates current = sample(new RrdDecoder(), rows + ".json");
            List<String> others = new ArrayList<>(List.of(".nested.json", ".xml"));
            if (!rows.equals("0rows")) {
                others.add(".legacy.txt");
            }
            for (String each : others) {
                RrdUpdates other = sample(new RrdDecoder(), rows + each);
                assertThat(other.columns()).isEqualTo(current.columns()).hasSize(35);
                assertThat(other.endSeconds()).isEqualTo(current.endSeconds());
                assertThat(other.rows()).hasSameSizeAs(current.rows());
                for (int i = 0; i < current.rows().size(); i++) {
                    assertThat(other.rows().get(i).seconds())
                            .isEqualTo(current.rows().get(i).seconds());
                    assertThat(other.rows().get(i).values())
                            .isEqualTo(current.rows().get(i).values());
                }
            }
        }
        assertThat(sample(new RrdDecoder(), "3rows.json").rows())
                .extracting(RrdUpdates.Row::seconds)
                .containsExactly(1787277620L, 1787277615L, 1787277610L);
    }

    @Test
    @DisplayName("X50 the same legend is parsed once; another one binds its own columns")
    void legends() throws IOException {
        RrdDecoder decoder = new RrdDecoder();
        List<RrdColumn> first = sample(decoder, "1row.json").columns();
        assertThat(sample(decoder, "3rows.json").columns()).isSameAs(first);
        assertThat(first).extracting(RrdColumn::type).containsOnly("host", "vm");
    }

    @Test
    @DisplayName("X49, X50 of all columns those that the engine shows are read, in every notation")
    void shown() throws IOException {
        RrdDecoder some = new RrdDecoder(RrdColumn::isShown, CpuTurn.FREE);
        for (String each :
                List.of("3rows.json", "3rows.nested.json", "3rows.xml", "3rows.legacy.txt")) {
            RrdUpdates all = sample(new RrdDecoder(), each);
            RrdUpdates shown = sample(some, each);
            assertThat(shown.columns()).hasSizeBetween(10, all.columns().size() - 5);
            assertThat(shown.columns())
                    .isEqualTo(all.columns().stream().filter(RrdColumn::isShown).toList());
            for (int row = 0; row < 3; row++) {
                assertThat(shown.rows().get(row).seconds())
                        .isEqualTo(all.rows().get(row).seconds());
                for (int i = 0; i < shown.columns().size(); i++) {
                    int place = all.columns().indexOf(shown.columns().get(i));
                    assertThat(shown.rows().get(row).values()[i])
                            .isEqualTo((Double) all.rows().get(row).values()[place]);
                }
            }
        }
    }

    @Test
    void aNewLegendIsReadInATurnAndAKnownOneNeedsNone() throws Exception {
        List<String> turns = new ArrayList<>();
        RrdDecoder decoder =
                new RrdDecoder(
                        RrdColumn::isShown,
                        new CpuTurn() {
                            @Override
                            public boolean begin() {
                                turns.add("begin");
                                return turns.size() == 1; // the second one waits in vain
                            }

                            @Override
                            public void end() {
                                turns.add("end");
                            }
                        });
        sample(decoder, "3rows.json");
        sample(decoder, "3rows.json");
        assertThat(turns).containsExactly("begin", "end");
        sample(decoder, "1row.json");
        assertThat(turns).startsWith("begin", "end");
        assertThat(turns.subList(2, turns.size())).doesNotContain("end");
    }

    @Test
    @DisplayName("X50 a legend that differs in one letter is another one")
    void otherLegend() throws IOException {
        RrdDecoder decoder = new RrdDecoder();
        String first = Files.readString(MESSAGES.resolve("rrd-updates-1row.json"));
        List<RrdColumn> columns = decode(decoder, first).columns();
        for (RrdColumn each : columns) {
            String other = each.name() + "z";
            List<RrdColumn> changed =
                    decode(decoder, first.replace(each.name() + '"', other + '"')).columns();
            assertThat(changed).isNotEqualTo(columns).extracting(RrdColumn::name).contains(other);
        }
    }

    @Test
    @DisplayName("X50 legends of another length, none at all and the last one again bind their own")
    void lengthOfLegend() throws IOException {
        RrdDecoder decoder = new RrdDecoder();
        String first = Files.readString(MESSAGES.resolve("rrd-updates-1row.json"));
        RrdUpdates expected = decode(new RrdDecoder(), first);
        String name = expected.columns().getFirst().name();
        for (String other : List.of(name, name + "-longer", "x")) {
            String text = first.replace(name + '"', other + '"');
            for (int i = 0; i < 3; i++) {
                RrdUpdates read = decode(decoder, text);
                assertThat(read.columns()).isEqualTo(decode(new RrdDecoder(), text).columns());
                assertThat(read.rows().getFirst().values())
                        .isEqualTo(expected.rows().getFirst().values());
            }
            assertThat(decode(decoder, "{\"meta\":{\"legend\":[]}}").columns()).isEmpty();
        }
        assertThatThrownBy(() -> decode(decoder, first.substring(0, first.indexOf(name))))
                .isInstanceOf(XapiException.Protocol.class);
    }

    @Test
    @DisplayName("X49 a row of a time that no clock has is no row")
    void timeWithoutClock() throws IOException {
        String text =
                Files.readString(MESSAGES.resolve("rrd-updates-1row.json"))
                        .replace("\"t\":\"1787277620\"", "\"t\":\"9223372036854775807\"");
        assertThatThrownBy(() -> decode(new RrdDecoder(), text))
                .isInstanceOf(XapiException.Protocol.class)
                .hasMessageContaining("9223372036854775807");
    }

    private static RrdUpdates decode(RrdDecoder decoder, String text) throws IOException {
        return decoder.decode(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    @DisplayName("X51 units become bytes, bytes per second and seconds")
    void units() throws IOException {
        RrdUpdates updates = sample(new RrdDecoder(), "1row.json");
        assertThat(value(updates, "memory_total_kib")).isEqualTo(67108864.0 * 1024);
        assertThat(value(updates, "memory_reclaimed")).isZero();
        assertThat(RrdColumn.factor("memory_reclaimed_max")).isEqualTo(1);
        assertThat(value(updates, "io_throughput_read_4d9ff764")).isEqualTo(1.5 * 1024 * 1024);
        assertThat(value(updates, "read_latency_4d9ff764")).isCloseTo(812.4e-6, within(1e-12));
        assertThat(value(updates, "memory_internal_free")).isEqualTo(1572864.0 * 1024);
        assertThat(value(updates, "memory")).isEqualTo(4294967296.0);
        assertThat(RrdColumn.factor("vbd_nvme0n1_iowait")).isEqualTo(1);
        assertThat(RrdColumn.factor("pif_bond0_rx")).isEqualTo(1);
    }

    private static double value(RrdUpdates updates, String name) {
        for (int i = 0; i < updates.columns().size(); i++) {
            if (updates.columns().get(i).name().equals(name)) {
                return updates.rows().getFirst().values()[i];
            }
        }
        throw new AssertionError(name);
    }

    @ParameterizedTest
    @EnumSource(Era.class)
    @DisplayName("X49 no row is lost or comes twice over many polls of servers of any age")
    void everyRowOnce(Era era) throws Exception {
        try (Lab lab = new Lab("127.12.1", era, 1, 3, false)) {
            HostMetrics metrics = new HostMetrics(lab.connect(), lab.addresses.getFirst(), TIMEOUT);
            long last = metrics.poll().endSeconds();
            lab.pools.clock().advance(Duration.ofSeconds(5));
            List<Long> seen = new ArrayList<>();
            int[] pauses = {5, 0, 5, 10, 3, 4, 30, 1, 5, 5};
            for (int i = 0; i < POLLS; i++) {
                metrics.poll().rows().reversed().forEach(each -> seen.add(each.seconds()));
                lab.pools.clock().advance(Duration.ofSeconds(pauses[i % pauses.length]));
            }
            for (int i = 1; i < seen.size(); i++) {
                assertThat(seen.get(i)).isEqualTo(seen.get(i - 1) + 5);
            }
            assertThat(seen.getFirst()).isBetween(last, last + 5);
            assertThat(seen).hasSizeGreaterThan(POLLS);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-600", "600"})
    @DisplayName("X52 a host's clock that is wrong by ten minutes does not matter")
    void skew(String seconds) throws Exception {
        try (Lab lab = new Lab("127.12.2", Era.TODAY, 1, 3, false)) {
            Row host = lab.pool.hostAt(lab.addresses.getFirst());
            lab.order("host", host, "skew", "seconds", seconds);
            HostMetrics metrics = new HostMetrics(lab.connect(), lab.addresses.getFirst(), TIMEOUT);
            metrics.poll();
            lab.pools.clock().advance(Duration.ofSeconds(5));
            assertThat(metrics.poll().rows()).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource(Era.class)
    @DisplayName("X49 the first reading gives one row, at any second of the host's updates")
    void firstRow(Era era) throws Exception {
        try (Lab lab = new Lab("127.12.21", era, 5, 3, false)) {
            PoolConnection connection = lab.connect();
            lab.pools.clock().advance(Duration.ofSeconds(20));
            for (String address : lab.addresses) {
                HostMetrics metrics = new HostMetrics(connection, address, TIMEOUT);
                assertThat(metrics.poll().rows()).as(address).hasSize(1);
                assertThat(metrics.poll().rows()).as(address).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Era.class)
    @DisplayName("X52 rows go on after a host's clock was set back by ten minutes")
    void setBack(Era era) throws Exception {
        try (Lab lab = new Lab("127.12.20", era, 1, 3, false)) {
            HostMetrics metrics = new HostMetrics(lab.connect(), lab.addresses.getFirst(), TIMEOUT);
            metrics.poll();
            lab.pools.clock().advance(Duration.ofSeconds(5));
            long before = metrics.poll().rows().getFirst().seconds();
            lab.order("host", lab.pool.hostAt(lab.addresses.getFirst()), "skew", "seconds", "-600");
            List<Long> seen = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                lab.pools.clock().advance(Duration.ofSeconds(5));
                metrics.poll().rows().reversed().forEach(each -> seen.add(each.seconds()));
            }
            assertThat(seen)
                    .hasSizeGreaterThanOrEqualTo(3)
                    .doesNotHaveDuplicates()
                    .isSorted()
                    .endsWith(before + 30 - 600);
        }
    }

    @Test
    @DisplayName("X53 after a long pause the coarser step is returned, and the fine rows continue")
    void coarser() throws Exception {
        try (Lab lab = new Lab("127.12.3", Era.TODAY, 1, 3, false)) {
            HostMetrics metrics = new HostMetrics(lab.connect(), lab.addresses.getFirst(), TIMEOUT);
            lab.pools.clock().advance(Duration.ofSeconds(5));
            metrics.poll();
            lab.pools.clock().advance(Duration.ofHours(1));
            assertThat(metrics.poll().stepSeconds()).isEqualTo(60);
            assertThat(metrics.poll().stepSeconds()).isEqualTo(5);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"401", "503"})
    @DisplayName("X54 a host without metrics fails alone; the pool's calls go on")
    void oneHost(String status) throws Exception {
        try (Lab lab = new Lab("127.12.4", Era.TODAY, 2, 3, false)) {
            PoolConnection connection = lab.connect();
            lab.server
                    .faults()
                    .add(
                            FaultKind.HTTP_STATUS,
                            lab.addresses.get(1),
                            "GET /rrd_updates",
                            status,
                            0);
            assertThatThrownBy(
                            () -> new HostMetrics(connection, lab.addresses.get(1), TIMEOUT).poll())
                    .isInstanceOf(XapiException.Protocol.class)
                    .hasMessageContaining(status);
            new HostMetrics(connection, lab.addresses.getFirst(), TIMEOUT).poll();
            assertThat(connection.allRecords(XapiClass.of("host"))).hasSize(2);
        }
    }

    @Test
    @DisplayName("X54 a host that goes on to fail has no metrics, also if it had some")
    void failsForGood() throws Exception {
        try (Lab lab = new Lab("127.12.22", Era.TODAY, 1, 3, false)) {
            HostMetrics metrics = new HostMetrics(lab.connect(), lab.addresses.getFirst(), TIMEOUT);
            lab.pools.clock().advance(Duration.ofSeconds(20));
            assertThat(metrics.poll().rows()).hasSize(1);
            lab.server.faults().add(FaultKind.HTTP_STATUS, "", "GET /rrd_updates", "500", 0);
            for (int i = 0; i < 3; i++) {
                assertThat(metrics.poll().rows()).isEmpty(); // as if there was no row yet
            }
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(metrics::poll)
                        .isInstanceOf(XapiException.Protocol.class)
                        .hasMessageContaining("500");
            }
            lab.server.faults().clear();
            lab.pools.clock().advance(Duration.ofSeconds(5));
            assertThat(metrics.poll().rows()).hasSize(1);
        }
    }

    @Test
    @DisplayName("X56 a paused VM has no memory sources, and its columns follow")
    void paused() throws Exception {
        try (Lab lab = new Lab("127.12.5", Era.TODAY, 1, 3, false)) {
            HostMetrics metrics = new HostMetrics(lab.connect(), lab.addresses.getFirst(), TIMEOUT);
            lab.pools.clock().advance(Duration.ofSeconds(5));
            String uuid = lab.vm("Running").text("uuid");
            assertThat(metrics.poll().columns())
                    .anyMatch(each -> each.uuid().equals(uuid) && each.name().equals("memory"));
            lab.order("VM", lab.vm("Running"), "pause");
            lab.pools.clock().advance(Duration.ofSeconds(5));
            assertThat(metrics.poll().columns())
                    .noneMatch(each -> each.uuid().equals(uuid) && each.name().equals("memory"))
                    .anyMatch(each -> each.uuid().equals(uuid) && each.name().equals("cpu_usage"));
        }
    }
}
