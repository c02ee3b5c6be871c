package org.stillwater.relay.intake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.id.HostId;
import org.stillwater.testkit.VirtualClock;

class RelayIntakeTest {

    private static final HostId ONE = new HostId(new UUID(0, 1));
    private static final HostId TWO = new HostId(new UUID(0, 2));
    private static final HostId OTHER = new HostId(new UUID(0, 3));
    private static final String DIRECT = "stillwater.relay.commands is direct";

    private final RelayIntake intake =
            new RelayIntake(
                    Map.of("rack-7", List.of(ONE), "rack-8", List.of(TWO)),
                    1_000,
                    new VirtualClock());

    @Test
    @DisplayName("a relay is believed about the hosts that it is configured for, and no other")
    void onlyItsOwnHosts() {
        assertThat(intake.of("rack-7", ONE)).isNotNull().isSameAs(intake.of(ONE));
        assertThat(intake.of("rack-7", TWO)).isNull();
        assertThat(intake.of("rack-7", OTHER)).isNull();
        assertThat(intake.of("rack-9", ONE)).isNull();
        assertThat(intake.of(OTHER)).isNull();
        assertThat(intake.isKnown("rack-9")).isFalse();
    }

    @Test
    @DisplayName("a host belongs to one relay")
    void oneRelayForAHost() {
        assertThatThrownBy(() ->
                        new RelayIntake(
                                Map.of("rack-7", List.of(ONE), "rack-8", List.of(ONE)),
                                1_000,
                                new VirtualClock()))
                .hasMessageContaining("is named twice");
    }

    @Test
    @DisplayName("each host with a relay has the reason for its polls")
    void statuses() {
        RelayIntake.HostStatus one =
                new RelayIntake.HostStatus(ONE, "rack-7", "no relay is connected", DIRECT);
        RelayIntake.HostStatus two =
                new RelayIntake.HostStatus(TWO, "rack-8", "no relay is connected", DIRECT);
        assertThat(intake.summary(5))
                .isEqualTo(new RelayIntake.Summary(2, 0, List.of(one, two), 0));
        assertThat(intake.summary(1)).isEqualTo(new RelayIntake.Summary(2, 0, List.of(one), 0));
        assertThat(intake.status(TWO)).isEqualTo(two);
        assertThat(intake.status(OTHER)).isNull();
    }

    @Test
    @DisplayName("the monitor of a host hears of its polls until it stops listening")
    void listeners() {
        List<String> heard = new ArrayList<>();
        Runnable first = () -> heard.add("first");
        Runnable second = () -> heard.add("second");
        intake.listen(ONE, first);
        intake.arrived(ONE);
        intake.arrived(TWO);
        intake.listen(ONE, second);
        intake.ignore(ONE, first);
        intake.arrived(ONE);
        intake.ignore(ONE, second);
        intake.arrived(ONE);

        assertThat(heard).containsExactly("first", "second");
    }
}
