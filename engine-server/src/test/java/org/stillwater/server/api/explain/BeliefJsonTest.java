package org.stillwater.server.api.explain;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.vm.Belief;
import org.stillwater.core.vm.BeliefCause;
import org.stillwater.core.vm.BeliefRule;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.belief.BeliefLog;

class BeliefJsonTest {

    private static final Instant NOW = Instant.parse("2026-03-04T05:06:07Z");

    private static BeliefLog.Past past(int before, int status) {
        return new BeliefLog.Past(
                List.of(
                        new Belief(
                                NOW,
                                NOW,
                                BeliefCause.POLL,
                                null,
                                null,
                                new BeliefRule.Foreign("newer", 0),
                                before,
                                status,
                                null,
                                null,
                                0)),
                null);
    }

    @Test
    void aStatusOfANewerVersionIsShownByItsCode() {
        assertThat(BeliefJson.items(past(VmStatus.UP.code(), 77), true, _ -> null))
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.before()).isEqualTo("up");
                    assertThat(each.status()).isEqualTo("code 77");
                });
        assertThat(BeliefJson.items(past(HostStatus.UP.code(), 88), false, _ -> null))
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.before()).isEqualTo("up");
                    assertThat(each.status()).as("not unassigned").isEqualTo("code 88");
                });
        assertThat(BeliefJson.text(past(0, 77), null, true, _ -> ""))
                .startsWith("After the newest transition the engine assumed: code 77");
    }
}
