package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.stillwater.core.cadence.CadenceLimits;
import org.stillwater.core.cadence.CpuBudget;
import org.stillwater.monitoring.belief.BeliefSettings;
import org.stillwater.monitoring.cadence.CadenceSettings;
import org.stillwater.monitoring.history.durable.DurableHistorySettings;
import org.stillwater.testkit.memory.InMemoryBeliefStore;

class MetersPageTest {

    private static final Path PAGE = Path.of("..", "docs", "reference", "meters.md");

    @Test
    void theReferencePageNamesExactlyTheMetersThereAre() throws Exception {
        Lab lab = new Lab().storedHosts(Lab.ALPHA);
        lab.engine.recordHistory(DurableHistorySettings.DEFAULT);
        lab.engine.recordBeliefs(BeliefSettings.DEFAULT, new InMemoryBeliefStore());
        lab.engine.adaptCadence(
                CadenceSettings.of(
                        new CadenceLimits(
                                Duration.ofSeconds(5),
                                lab.settings.hosts().interval(),
                                Duration.ofMinutes(2)),
                        new CpuBudget(0.5)),
                () -> -1);
        lab.started();
        TreeSet<String> registered =
                lab.meters.getMeters().stream()
                        .map(meter -> meter.getId().getName())
                        .filter(name -> !name.endsWith(".percentile"))
                        .collect(Collectors.toCollection(TreeSet::new));

        TreeSet<String> documented =
                Pattern.compile("^\\| `(stillwater\\.[a-z.]+)`", Pattern.MULTILINE)
                        .matcher(Files.readString(PAGE))
                        .results()
                        .map(match -> match.group(1))
                        .collect(Collectors.toCollection(TreeSet::new));

        assertThat(documented).isEqualTo(registered);
    }
}
