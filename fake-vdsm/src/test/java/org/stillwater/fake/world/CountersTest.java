package org.stillwater.fake.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** Numbers that move between polls, and numbers that stand still. */
class CountersTest {

    private static final List<String> NIC_COUNTERS = List.of("rx", "tx", "rxDropped", "rxErrors");
    private static final List<String> DISK_COUNTERS =
            List.of("readBytes", "writtenBytes", "readOps", "writeOps", "truesize");

    static LongStream seeds() {
        return LongStream.range(1, 9);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    @DisplayName("8b.36 counters never decrease, whenever they are read")
    void countersNeverDecrease(long seed) {
        Lab lab = new Lab(WorldSettings.of(seed, 1, 12));
        SplittableRandom dice = new SplittableRandom(seed);
        Map<String, Long> before = new HashMap<>();
        for (int poll = 0; poll < 60; poll++) {
            counters(lab.result(0, "Host.getAllVmStats"))
                    .forEach((counter, value) -> {
                        Long last = before.put(counter, value);
                        assertThat(value)
                                .as("%s, seed %d", counter, seed)
                                .isGreaterThanOrEqualTo(last == null ? 0 : last);
                    });
            List<SimulatedVm> vms = lab.world.vms();
            SimulatedVm vm = vms.get(dice.nextInt(vms.size()));
            if ("Paused".equals(vm.status())) {
                vm.resume();
            } else if (dice.nextInt(3) == 0) {
                vm.pause(PauseCause.EIO);
            }
            lab.world.advance(java.time.Duration.ofMillis(dice.nextInt(40_000)));
        }
    }

    @Test
    @DisplayName("8b.36 two polls inside one sample period have the same counters")
    void countersStandStillWithinASample() {
        Lab lab = Lab.of(1, 20);
        long toNextSample = untilNextSample(lab);
        lab.world.advance(java.time.Duration.ofMillis(toNextSample + 100));
        Map<String, Long> first = counters(lab.result(0, "Host.getAllVmStats"));
        lab.world.advance(java.time.Duration.ofMillis(14_800));
        Map<String, Long> second = counters(lab.result(0, "Host.getAllVmStats"));
        assertThat(second).isEqualTo(first);
        lab.world.advance(java.time.Duration.ofMillis(200));
        Map<String, Long> third = counters(lab.result(0, "Host.getAllVmStats"));
        assertThat(third.entrySet())
                .anyMatch(entry -> entry.getValue() > first.get(entry.getKey()));
    }

    @Test
    @DisplayName("8b.37/8b.35 statusTime, elapsedTime and sampleTime advance with each poll")
    void stampsAdvanceWithEachPoll() {
        Lab lab = Lab.of(1, 3);
        JsonNode first = lab.result(0, "Host.getAllVmStats").get(0);
        lab.pass(1);
        JsonNode second = lab.result(0, "Host.getAllVmStats").get(0);
        assertThat(number(second, "statusTime") - number(first, "statusTime")).isEqualTo(1000);
        assertThat(number(second, "elapsedTime") - number(first, "elapsedTime")).isEqualTo(1);
        double before = first.get("network").iterator().next().get("sampleTime").asDouble();
        double after = second.get("network").iterator().next().get("sampleTime").asDouble();
        assertThat(after - before).isBetween(0.999, 1.001);
    }

    @Test
    @DisplayName("8b.35 sampleTime has a fraction; per VM it is monotonic, per host epoch time")
    void sampleTimesComeFromTwoClocks() {
        Lab lab = Lab.of(1, 1);
        String vms = lab.ask(0, "Host.getAllVmStats", "{}").text();
        assertThat(vms).containsPattern("\"sampleTime\": \\d+\\.\\d+[,}]");
        JsonNode vm = lab.result(0, "Host.getAllVmStats").get(0);
        double monotonic = vm.get("network").iterator().next().get("sampleTime").asDouble();
        long stamp = number(vm, "statusTime");
        assertThat(monotonic * 1000 + Integer.MAX_VALUE)
                .isBetween((double) stamp - 1, (double) stamp + 1);
        JsonNode host = lab.result(0, "Host.getStats");
        assertThat(host.get("network").get("lo").get("sampleTime").isFloatingPointNumber())
                .isTrue();
        assertThat(host.get("network").get("lo").get("sampleTime").asDouble())
                .isEqualTo((double) SimulationClock.FIXED_BEGINNING.getEpochSecond());
    }

    @Test
    @DisplayName("8b.38 statusTime and notify_time come from one clock and never go back")
    void stampsOfPollsAndEventsAreOneClock() {
        Lab lab = Lab.of(1, 4);
        SimulatedVm vm = lab.world.vms().getFirst();
        long last = 0;
        for (int i = 0; i < 20; i++) {
            vm.pause(PauseCause.USER);
            long event = lab.heard().getFirst().notifyTime();
            long poll = number(lab.stats(0, vm), "statusTime");
            assertThat(poll).isEqualTo(event).isGreaterThan(last);
            last = poll;
            vm.resume();
            lab.heard();
            lab.pass(7);
        }
    }

    @Test
    @DisplayName("a stable VM changes only what a real one changes (§5.2)")
    void aStableVmChangesOnlyItsNumbers() {
        Lab lab = Lab.of(1, 30);
        Set<String> moving =
                Set.of(
                        "statusTime",
                        "elapsedTime",
                        "cpuUser",
                        "cpuSys",
                        "cpuUsage",
                        "network",
                        "disks",
                        "memoryStats",
                        "memUsage");
        JsonNode first = lab.result(0, "Host.getAllVmStats");
        for (int cycle = 0; cycle < 20; cycle++) {
            lab.pass(15);
            JsonNode now = lab.result(0, "Host.getAllVmStats");
            for (int i = 0; i < now.size(); i++) {
                for (String field : Shape.keys(now.get(i))) {
                    if (!moving.contains(field)) {
                        assertThat(now.get(i).get(field))
                                .as(field)
                                .isEqualTo(first.get(i).get(field));
                    }
                }
            }
        }
        assertThat(lab.heard()).isEmpty();
    }

    @Test
    @DisplayName("rates are the growth of the counters over the sample")
    void ratesFollowFromCounters() {
        Lab lab = Lab.of(1, 10);
        JsonNode before = lab.result(0, "Host.getAllVmStats");
        lab.pass(15);
        JsonNode after = lab.result(0, "Host.getAllVmStats");
        for (int i = 0; i < after.size(); i++) {
            JsonNode vm = after.get(i);
            for (String dev : Shape.keys(vm.get("disks"))) {
                JsonNode disk = vm.get("disks").get(dev);
                JsonNode old = before.get(i).get("disks").get(dev);
                double grown = number(disk, "writtenBytes") - number(old, "writtenBytes");
                assertThat(Double.parseDouble(disk.get("writeRate").asString()))
                        .isBetween(grown / 15 - 0.01, grown / 15 + 0.01);
            }
            double cpu =
                    Double.parseDouble(vm.get("cpuUser").asString())
                            + Double.parseDouble(vm.get("cpuSys").asString());
            double nanos = number(vm, "cpuUsage") - number(before.get(i), "cpuUsage");
            assertThat(cpu).isBetween(nanos / 150e6 - 0.02, nanos / 150e6 + 0.02);
        }
    }

    @Test
    @DisplayName("a paused VM's rates fall to zero")
    void ratesOfAPausedVmFallToZero() {
        Lab lab = Lab.of(1, 10);
        lab.world.vms().forEach(vm -> vm.pause(PauseCause.USER));
        lab.pass(45);
        for (JsonNode vm : lab.result(0, "Host.getAllVmStats")) {
            assertThat(vm.get("cpuUser").asString()).isEqualTo("0.00");
            vm.get("disks")
                    .forEach(disk -> {
                        assertThat(disk.get("writeRate").asString()).isEqualTo("0.0");
                        assertThat(disk.get("writeLatency").asString()).isEqualTo("0");
                    });
        }
    }

    private static long untilNextSample(Lab lab) {
        FakeHost host = lab.world.fakeHost("host-0001");
        HostMoment moment = host.moment();
        return moment.lastSample() + Meter.PERIOD_MILLIS - moment.now();
    }

    private static Map<String, Long> counters(JsonNode vms) {
        Map<String, Long> counters = new HashMap<>();
        for (JsonNode vm : vms) {
            String id = vm.get("vmId").asString();
            counters.put(id + "/cpuUsage", number(vm, "cpuUsage"));
            vm.get("network").properties().forEach(nic -> put(counters, id, nic, NIC_COUNTERS));
            vm.get("disks").properties().forEach(disk -> put(counters, id, disk, DISK_COUNTERS));
        }
        return counters;
    }

    private static void put(
            Map<String, Long> counters,
            String id,
            Map.Entry<String, JsonNode> device,
            List<String> names) {
        for (String name : names) {
            counters.put(id + "/" + device.getKey() + "/" + name, number(device.getValue(), name));
        }
    }

    static long number(JsonNode node, String field) {
        return Long.parseLong(node.get(field).asString());
    }
}
