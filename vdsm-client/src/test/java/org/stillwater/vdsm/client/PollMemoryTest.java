package org.stillwater.vdsm.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.stillwater.core.id.VmId;

/** The memory of a host's polls, and its lifetime. */
class PollMemoryTest {

    private static final VmId VM = new VmId(0, 1);

    private final PollMemory memory = new PollMemory();

    @Test
    void aHostReportedByOtherMeansIsForgotten() {
        poll();
        assertThat(memory.begin()).isTrue();
        assertThat(memory.expected()).isNotNull();
        memory.forget();
        assertThat(memory.expected()).as("not while a poll is read").isNotNull();
        memory.confirmed(memory.expected());
        memory.end(true);

        memory.forget();

        assertThat(memory.begin()).isTrue();
        assertThat(memory.expected()).isNull();
        memory.end(true);
        poll();
        assertThat(memory.begin()).isTrue();
        assertThat(memory.expected()).as("learned again").isNotNull();
    }

    private void poll() {
        assertThat(memory.begin()).isTrue();
        memory.decoded(VM);
        memory.end(true);
    }
}
