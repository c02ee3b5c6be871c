package org.stillwater.core.analysis.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.stillwater.core.host.HostNicUsage;
import org.stillwater.core.host.HostUsage;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostNetworks;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.HostValues;

class HostUsagesTest {

    private static final HostNetworks.Ip IP = HostNetworks.Ip.NONE;
    private static final HostNicRoles ROLES =
            HostNicRoles.of(
                    new HostValues()
                            .put(
                                    HostField.NICS,
                                    Map.of(
                                            "card",
                                            new HostNetworks.Nic(IP, null, null, null, null, null),
                                            "slave",
                                            new HostNetworks.Nic(IP, null, null, null, null, null)))
                            .put(
                                    HostField.BONDS,
                                    Map.of(
                                            "bond",
                                            new HostNetworks.Bond(
                                                    IP,
                                                    null,
                                                    List.of("slave"),
                                                    null,
                                                    Map.of(),
                                                    null,
                                                    null,
                                                    null,
                                                    null,
                                                    null)))
                            .put(
                                    HostField.VLANS,
                                    Map.of("card.5", new HostNetworks.Vlan(IP, "card", 5)))
                            .capabilities()
                            .network());

    private HostUsage usage = HostUsage.UNKNOWN;

    private HostUsage next(HostValues values, @Nullable Long physical) {
        usage = HostUsages.next(usage, values.statistics(), ROLES, physical);
        return usage;
    }

    @Test
    void processorsAreUserAndSystemTogetherTruncated() {
        HostValues busy =
                new HostValues().put(HostField.CPU_USER, 12.6).put(HostField.CPU_SYSTEM, 3.3);
        assertThat(next(busy, null).cpuPercent()).isEqualTo(15);
        assertThat(next(new HostValues().put(HostField.CPU_USER, 12.6), null).cpuPercent())
                .isNull();
    }

    @Test
    void freeHugePagesAreFreeMemory() {
        HostStatistics.HugePages pages = new HostStatistics.HugePages(100L, 50L, 40L);
        HostValues values =
                new HostValues()
                        .put(HostField.MEMORY_FREE, 300L)
                        .put(HostField.HUGE_PAGES, Map.of("2048", pages));
        assertThat(next(values, 1_000L).memoryPercent()).as("300 + 50 × 2 of 1000").isEqualTo(60);
        assertThat(next(values, null).memoryPercent()).isNull();
        assertThat(next(new HostValues().put(HostField.MEMORY_FREE, 6L), 1_000L).memoryPercent())
                .as("100 - round(0.6)")
                .isEqualTo(99);
    }

    private HostUsage traffic(double at, Map<String, Long> received) {
        Map<String, HostStatistics.Nic> nics = new TreeMap<>();
        received.forEach((name, bytes) ->
                nics.put(name, new HostStatistics.Nic(true, 1_000, bytes, 2L, 3L, 4L, at)));
        return next(new HostValues().put(HostField.INTERFACES, nics), null);
    }

    @Test
    void theNetworkIsItsBusiestCardOrBond() {
        traffic(0, Map.of("card", 0L, "card.5", 0L, "bond", 0L, "slave", 0L, "br", 0L));
        assertThat(usage.networkPercent()).as("one sample has no rate").isNull();
        traffic(
                10,
                Map.of(
                        "card", 125_000_000L,
                        "card.5", 1_000_000_000L,
                        "bond", 250_000_000L,
                        "slave", 1_000_000_000L,
                        "br", 1_000_000_000L));
        assertThat(usage.networkPercent()).isEqualTo(20);
        assertThat(nic("slave").receiveRatePercent()).isEqualTo(80);
    }

    @Test
    void aCounterThatBeganAgainNeitherGoesBackNorMakesARate() {
        traffic(0, Map.of("card", 1_000L));
        traffic(10, Map.of("card", 5_000L));
        assertThat(nic("card").receivedBytes()).isEqualTo(5_000);
        traffic(20, Map.of("card", 100L));
        assertThat(nic("card").receivedBytes()).isEqualTo(5_100);
        assertThat(nic("card").receivedOffsetBytes()).isEqualTo(5_000);
        assertThat(nic("card").receiveRatePercent()).isNull();
        traffic(30, Map.of("card", 1_250_100L));
        assertThat(nic("card").receiveRatePercent()).isEqualTo(0.1);
        assertThat(nic("card").receivedBytes()).isEqualTo(1_255_100);
    }

    @Test
    void theSameSampleAgainHasNoRate() {
        traffic(0, Map.of("card", 0L));
        traffic(0, Map.of("card", 0L));
        assertThat(nic("card").receiveRatePercent()).isNull();
    }

    @Test
    void removedInterfacesAreForgottenAndASilenceForgetsNone() {
        traffic(0, Map.of("card", 0L, "bond", 0L));
        traffic(10, Map.of("card", 0L));
        assertThat(usage.nics()).containsOnlyKeys("card");
        next(new HostValues(), null);
        assertThat(usage.nics()).containsOnlyKeys("card");
    }

    @Test
    void theUsageOfAHostThatIsGivenUpIsUnknown() {
        traffic(0, Map.of("card", 0L));
        traffic(10, Map.of("card", 125_000_000L));
        HostUsage forgotten = usage.forgotten();
        assertThat(forgotten.cpuPercent()).isNull();
        assertThat(forgotten.memoryPercent()).isNull();
        assertThat(forgotten.networkPercent()).isNull();
        HostNicUsage card = Objects.requireNonNull(forgotten.nics().get("card"));
        assertThat(card.receiveRatePercent()).isNull();
        assertThat(card.sendRatePercent()).isNull();
        assertThat(card.receivedBytes()).isEqualTo(125_000_000);
    }

    private HostNicUsage nic(String name) {
        return Objects.requireNonNull(usage.nics().get(name));
    }
}
