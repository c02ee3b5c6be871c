package org.stillwater.fake.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** One seed, one script, one time: one transcript. */
class DeterminismTest {

    @Test
    @DisplayName("8b.52 same seed, script and virtual time give byte-identical transcripts")
    void theSameWorldTwice() {
        assertThat(transcript(7, false)).isEqualTo(transcript(7, false));
    }

    @Test
    @DisplayName("8b.52 polls in between change nothing")
    void observingChangesNothing() {
        String observed = transcript(7, true);
        String alone = transcript(7, false);
        assertThat(observed.substring(observed.lastIndexOf("FINALLY")))
                .isEqualTo(alone.substring(alone.lastIndexOf("FINALLY")));
    }

    @Test
    @DisplayName("another seed is another world")
    void anotherSeed() {
        assertThat(transcript(7, false)).isNotEqualTo(transcript(8, false));
    }

    @Test
    @DisplayName("what one VM does does not shift the numbers of another")
    void entitiesHaveTheirOwnChance() {
        Lab quiet = Lab.of(2, 10);
        Lab busy = Lab.of(2, 10);
        busy.host(1).create(MachineSpec.ordinary());
        busy.world.vms().get(3).crash();
        quiet.pass(100);
        busy.pass(100);
        SimulatedVm vm = quiet.world.vms().getFirst();
        assertThat(busy.stats(0, vm)).isEqualTo(quiet.stats(0, vm));
    }

    private static String transcript(long seed, boolean observed) {
        Lab lab = new Lab(WorldSettings.of(seed, 2, 8));
        StringBuilder transcript = new StringBuilder();
        List<SimulatedVm> vms = lab.world.vms();
        lab.world.after(Duration.ofSeconds(20), () -> vms.get(2).crash());
        lab.world.after(Duration.ofSeconds(20), () -> vms.get(1).pause(PauseCause.ENOSPC));
        lab.world.after(
                Duration.ofSeconds(33), () -> vms.get(3).migrate(MigrationOrder.to("host-0002")));
        lab.world.after(
                Duration.ofSeconds(50), () -> lab.host(0).restartVdsm(Duration.ofSeconds(7)));
        SimulatedVm _ = lab.host(1).create(MachineSpec.ordinary().withName("late"));
        for (int i = 0; i < 12; i++) {
            lab.world.advance(Duration.ofMillis(12_345));
            if (observed) {
                transcript.append(lab.ask(0, "Host.getAllVmStats", "{}"));
                transcript.append(lab.ask(1, "Host.getStats", "{}"));
            }
        }
        lab.heard().forEach(told -> transcript.append(told.host()).append(told.text()));
        transcript.append("FINALLY");
        for (int host = 0; host < 2; host++) {
            transcript.append(lab.ask(host, "Host.getAllVmStats", "{}"));
            transcript.append(lab.ask(host, "Host.getStats", "{}"));
            transcript.append(lab.ask(host, "Host.getCapabilities", "{}"));
        }
        return transcript.append(lab.world.state()).toString();
    }
}
