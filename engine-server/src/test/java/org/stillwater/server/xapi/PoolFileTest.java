package org.stillwater.server.xapi;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.id.ClusterId;
import org.stillwater.testkit.VirtualClock;

class PoolFileTest {

    private static final String HOST = "192.0.2.1";

    @TempDir private Path folder;
    private final VirtualClock clock = VirtualClock.strict();
    private final List<String> told = new ArrayList<>();

    private PoolFile file() {
        return new PoolFile(
                folder.resolve("xapi").resolve("pools.properties"),
                clock,
                (event, message) -> told.add(event + " " + message));
    }

    @Test
    @DisplayName("X21 a certificate that ends within 30 days is reported once, a new one again")
    void endsSoon() {
        PoolFile file = file();
        Instant end = clock.now().plus(PoolFile.WARNED_BEFORE).plusSeconds(60);
        file.seen(HOST, end);
        assertThat(told).isEmpty();
        clock.advance(Duration.ofMinutes(2));
        file.seen(HOST, end);
        file.seen(HOST, end);
        assertThat(told)
                .containsExactly(
                        AuditEvent.EXTERNAL_EVENT_WARNING
                                + " The certificate of the host at 192.0.2.1 of a pool is valid"
                                + " until "
                                + end);
        file.seen(HOST, end.plusSeconds(1));
        assertThat(told).hasSize(2);
    }

    @Test
    @DisplayName("X21 a changed certificate is an alert, once until the pinned one is shown again")
    void refused() {
        PoolFile file = file();
        file.pin(HOST, "aa");
        file.refused(HOST, "bb");
        file.refused(HOST, "bb");
        assertThat(told).hasSize(1).allMatch(each -> each.startsWith("EXTERNAL_ALERT A host"));
        assertThat(file.refusals()).containsKey(HOST);
        file.seen(HOST, clock.now().plus(Duration.ofDays(300)));
        assertThat(file.refusals()).isEmpty();
        file.refused(HOST, "bb");
        assertThat(told).hasSize(2);
        assertThat(file().pinned(HOST)).as("after a restart").isEqualTo("aa");
    }

    @Test
    @DisplayName("X38 every message that came while the engine did not run is news, in any order")
    void messagesOfAPause() {
        ClusterId pool = new ClusterId(UUID.fromString("11111111-2222-4333-8444-555555555555"));
        Instant last = clock.now();
        PoolFile before = file();
        assertThat(before.told(pool, last.minusSeconds(60), true)).as("the first start").isFalse();
        assertThat(before.told(pool, last, false)).isTrue();
        before.save();
        PoolFile after = file();
        assertThat(after.told(pool, last.plusSeconds(3), true)).isTrue();
        assertThat(after.told(pool, last.minusSeconds(60), true)).as("known").isFalse();
        assertThat(after.told(pool, last.plusSeconds(1), true)).as("an earlier one").isTrue();
        assertThat(after.told(pool, last.plusSeconds(3), true)).as("of one second").isTrue();
        assertThat(after.told(pool, last, true)).as("known").isFalse();
        after.save();
        assertThat(file().told(pool, last.plusSeconds(3), true)).as("the next start").isFalse();
    }
}
