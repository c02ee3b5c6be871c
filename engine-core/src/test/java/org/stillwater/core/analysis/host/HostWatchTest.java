package org.stillwater.core.analysis.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HostWatchTest {

    private static final long BEGIN = Long.MAX_VALUE;

    @Test
    void aSeldomPolledHostIsInContactUntilItFails() {
        HostWatch watch = HostWatch.begin(BEGIN);
        long later = Long.MIN_VALUE + 100; // the clock wraps
        assertThat(watch.inContactUntil(later).lastContactNanos()).isEqualTo(later);
        assertThat(watch.inContactUntil(BEGIN - 1)).isSameAs(watch);
        HostWatch failed = watch.failed();
        assertThat(failed.inContactUntil(later)).isSameAs(failed);
    }
}
