package org.stillwater.monitoring.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.stillwater.monitoring.host.BootDetection.Boot;

class BootDetectionTest {

    private final BootDetection boots = new BootDetection(new AtomicInteger(41));

    @Test
    void theFirstConnectionIdentifiesTheBoot() {
        assertThat(boots.number()).isEqualTo(42);
        assertThat(boots.idTold("a", 1)).isEqualTo(Boot.SAME);
        assertThat(boots.timeTold(1_000)).isEqualTo(Boot.SAME);
        assertThat(boots.number()).isEqualTo(42);
    }

    @Test
    void theSameBootMayBeReportedInEveryConnection() {
        boots.idTold("a", 1);
        assertThat(boots.idTold("a", 3)).isEqualTo(Boot.SAME);
        assertThat(boots.number()).isEqualTo(42);
    }

    @Test
    void anotherBootIdIsAnotherBoot() {
        boots.idTold("a", 1);
        assertThat(boots.idTold("b", 3)).isEqualTo(Boot.ANOTHER);
        assertThat(boots.number()).isEqualTo(43);
        assertThat(boots.idTold("b", 3)).isEqualTo(Boot.SAME);
    }

    @Test
    void aLateBootIdMayBelongToAnotherBoot() {
        assertThat(boots.idTold("a", 3)).isEqualTo(Boot.UNCERTAIN);
        assertThat(boots.number()).isEqualTo(43);
    }

    @Test
    void anotherBootTimeIsAnotherBootUnlessItIsRounded() {
        boots.timeTold(1_000);
        assertThat(boots.timeTold(1_005)).isEqualTo(Boot.SAME);
        assertThat(boots.timeTold(1_000)).isEqualTo(Boot.SAME);
        assertThat(boots.timeTold(1_006)).isEqualTo(Boot.ANOTHER);
        assertThat(boots.timeTold(1_000)).isEqualTo(Boot.ANOTHER);
        assertThat(boots.number()).isEqualTo(44);
    }

    @Test
    void aBootThatShowsByItsIdIsNotCountedAgainByItsTime() {
        boots.idTold("a", 1);
        boots.timeTold(1_000);
        boots.idTold("b", 3);
        assertThat(boots.timeTold(9_000)).isEqualTo(Boot.SAME);
        assertThat(boots.number()).isEqualTo(43);
    }

    @Test
    void aBootIdAfterTheBootTimeBelongsToTheSameBoot() {
        boots.idTold("a", 1);
        boots.timeTold(1_000);
        assertThat(boots.timeTold(9_000)).isEqualTo(Boot.ANOTHER);
        // Whether the id is that of the boot that the time told of is not known: it is safe to ask.
        assertThat(boots.idTold("b", 3)).isEqualTo(Boot.UNCERTAIN);
        assertThat(boots.idTold("b", 3)).isEqualTo(Boot.SAME);
    }

    @Test
    void aHostWithoutABootIdMayHaveBootedWhileItWasNotConnected() {
        boots.becameUsable(1);
        assertThat(boots.number()).isEqualTo(43);
        boots.becameUsable(1);
        assertThat(boots.number()).as("its connection stood").isEqualTo(43);
        boots.becameUsable(3);
        assertThat(boots.number()).isEqualTo(44);
    }

    @Test
    void aHostWithABootIdKeepsItsStampsOverConnections() {
        boots.idTold("a", 1);
        boots.becameUsable(1);
        boots.becameUsable(3);
        assertThat(boots.number()).isEqualTo(42);
    }
}
