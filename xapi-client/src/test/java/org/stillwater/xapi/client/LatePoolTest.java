package org.stillwater.xapi.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stillwater.fake.xapi.net.FaultKind;
import org.stillwater.fake.xapi.world.Store.Row;

/** A pool whose replies are as late as those of real pools, watched with the usual times. */
@Tag("full") // more than a minute of waiting
@Timeout(300)
class LatePoolTest {

    private static final Duration BEYOND = Duration.ofSeconds(30);

    private final Lab.Heard heard = new Lab.Heard();
    private Lab lab;
    private Row vm;

    @BeforeEach
    void start() throws Exception {
        lab = Lab.today("127.11.43");
        vm = lab.vm("Running");
    }

    @AfterEach
    void stop() {
        lab.close();
    }

    private PoolWatch watch() throws Exception {
        return PoolWatch.start(
                lab.connect(), heard, Lab.CLOCK, PoolWatch.Sync.EVENTS, PoolWatch.Times.USUAL);
    }

    /** Renames the VM; returns how long it takes until that is known. */
    private Duration renamed(String name) throws Exception {
        long since = Lab.CLOCK.nanoTime();
        lab.order("VM", vm, "rename", "name", name);
        String known = "";
        while (!name.equals(known)) {
            PoolListener.Change change = heard.changes.poll(2, TimeUnit.MINUTES);
            assertThat(change).as("a change within two minutes").isNotNull();
            boolean isRenamed = change.ref().equals(vm.ref()) && change.after() != null;
            known = isRenamed ? change.after().text("name_label") : known;
        }
        return Duration.ofNanos(Lab.CLOCK.nanoTime() - since);
    }

    private void isUndisturbed() {
        assertThat(heard.losses).isEmpty();
        assertThat(heard.syncs).as("read again").isEmpty();
        assertThat(lab.sessions()).isEqualTo(1);
    }

    @Test
    @DisplayName("X23 replies that are 2 to 10 s late cost no call, no session and no change")
    void delayed() throws Exception {
        lab.server.faults().add(FaultKind.LATENCY, "", "event.from", "2000", 0);
        try (PoolWatch _ = watch()) {
            heard.sync();
            assertThat(renamed("two")).isLessThan(Duration.ofSeconds(6));
            lab.server.faults().clear();
            lab.server.faults().add(FaultKind.LATENCY, "", "event.from", "10000", 0);
            // The call that waits now is answered at once; the next one is late.
            assertThat(renamed("none")).isLessThan(Duration.ofSeconds(12));
            assertThat(renamed("ten")).isBetween(Duration.ofSeconds(7), Duration.ofSeconds(13));
            isUndisturbed();
        }
    }

    @Test
    @DisplayName("X34 a reply 30 s beyond its time is taken, without another call meanwhile")
    void beyond() throws Exception {
        Duration late = PoolWatch.Times.USUAL.hold().plus(BEYOND);
        lab.server.faults().add(FaultKind.LATENCY, "", "event.from", "" + late.toMillis(), 0);
        long since = Lab.CLOCK.nanoTime();
        try (PoolWatch _ = watch()) {
            assertThat(heard.syncs.poll(2, TimeUnit.MINUTES)).isNotEmpty();
            assertThat(Duration.ofNanos(Lab.CLOCK.nanoTime() - since))
                    .isBetween(late, late.plusSeconds(20));
            lab.server.faults().clear();
            assertThat(renamed("then")).isLessThan(Duration.ofSeconds(20));
            isUndisturbed();
        }
    }
}
