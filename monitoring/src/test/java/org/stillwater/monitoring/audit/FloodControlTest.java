package org.stillwater.monitoring.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.id.HostId;
import org.stillwater.testkit.Samples;

class FloodControlTest {

    private static final AuditEvent DISK = AuditEvent.VDS_LOW_DISK_SPACE;
    private static final AuditEvent CPU = AuditEvent.VDS_HIGH_CPU_USE;
    private static final HostId HOST = Samples.host(1);
    private static final HostId OTHER = Samples.host(2);

    private final FloodControl flood = new FloodControl(3);

    private boolean admits(AuditEvent event, HostId host, @Nullable String part, Duration at) {
        return flood.admits(event, null, host, part, at.toNanos());
    }

    @Test
    void aRepeatIsLeftOutWithinTheInterval() {
        assertThat(admits(CPU, HOST, null, Duration.ZERO)).isTrue();
        assertThat(admits(CPU, HOST, null, CPU.flood().minusNanos(1))).isFalse();
        assertThat(admits(CPU, HOST, null, CPU.flood())).isTrue();
        assertThat(admits(CPU, HOST, null, CPU.flood().multipliedBy(2).minusNanos(1))).isFalse();
    }

    @Test
    void anotherSubjectIsNoRepeat() {
        assertThat(admits(CPU, HOST, null, Duration.ZERO)).isTrue();
        assertThat(admits(CPU, OTHER, null, Duration.ZERO)).isTrue();
        assertThat(flood.admits(CPU, Samples.vm(1), HOST, null, 0)).isTrue();
    }

    @Test
    void anotherPartOfTheHostIsNoRepeat() {
        assertThat(admits(DISK, HOST, "/tmp", Duration.ZERO)).isTrue();
        assertThat(admits(DISK, HOST, "/var/log", Duration.ZERO)).isTrue();
        assertThat(admits(DISK, HOST, "/tmp", Duration.ofMinutes(1))).isFalse();
        assertThat(DISK.partOf(Map.of("path", "/tmp", "freeMebibytes", "5"))).isEqualTo("/tmp");
        assertThat(CPU.partOf(Map.of("path", "/tmp"))).isNull();
    }

    @Test
    void anEventWithoutIntervalIsAlwaysAuditedAndNeverRemembered() {
        for (int i = 0; i < 10; i++) {
            assertThat(admits(AuditEvent.VDS_DETECTED, HOST, null, Duration.ZERO)).isTrue();
        }
        assertThat(flood.size()).isZero();
    }

    @Test
    void entriesOfAFormerLifeAreNotRepeated() {
        flood.told(CPU, null, HOST, null, -Duration.ofMinutes(10).toNanos());
        assertThat(admits(CPU, HOST, null, Duration.ZERO)).isFalse();
        assertThat(admits(CPU, HOST, null, CPU.flood().minusMinutes(10))).isTrue();
    }

    @Test
    void theLeastRecentlyAuditedSubjectIsForgottenFirst() {
        for (int i = 0; i < 4; i++) {
            admits(DISK, HOST, "/" + i, Duration.ofSeconds(i));
        }
        assertThat(flood.size()).isEqualTo(3);
        assertThat(admits(DISK, HOST, "/1", Duration.ofSeconds(5))).isFalse();
        assertThat(admits(DISK, HOST, "/0", Duration.ofSeconds(5))).as("forgotten").isTrue();
    }

    @Test
    void repeatableEventsTakeNoRoom() {
        admits(DISK, HOST, "/a", Duration.ZERO);
        admits(DISK, HOST, "/b", Duration.ZERO);
        admits(DISK, HOST, "/c", DISK.flood());
        assertThat(flood.size()).isEqualTo(1);
    }
}
