package org.stillwater.core.vm;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class VmRunTest {

    private static VmRun read(long generation) {
        return new VmRun(generation, null, null, null, null, null, null, null, false, null, null);
    }

    @Test
    void vmsOfWhichNothingIsRecordedShareTheirRun() {
        assertThat(VmRun.NEVER.next()).isSameAs(VmRun.NEVER.next()).isEqualTo(read(1));
        assertThat(read(1).shared()).isSameAs(VmRun.NEVER.next());
        assertThat(VmRun.NEVER.next().next().ended()).isSameAs(read(2).shared());
    }

    @Test
    void aRunWithARecordIsItsOwn() {
        VmRun started = read(1).startedAt(Instant.EPOCH);
        VmRun many = read(1_000_000);

        assertThat(started.shared()).isSameAs(started);
        assertThat(many.shared()).isSameAs(many);
        assertThat(many.next()).isEqualTo(read(1_000_001));
        assertThat(read(-1).shared()).isEqualTo(read(-1));
        assertThat(read(1).withStopReason("maintenance").ended().stopReason())
                .isEqualTo("maintenance");
    }
}
