package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The rules that operators copy, under promtool of the distribution's Prometheus. */
@Tag("full") // the package of Prometheus once
@Timeout(600)
@DisplayName("promtool")
class PrometheusIT {

    private static final Path TESTS =
            Path.of("src", "test", "resources", "alerts", "stillwater.test.yaml");

    @Test
    @DisplayName("accepts the rules")
    void rules() throws Exception {
        List<String> command =
                new ArrayList<>(
                        List.of(Prometheus.program("promtool").toString(), "check", "rules"));
        Dashboards.ruleFiles().forEach(file -> command.add(file.toString()));
        Prometheus.Ran ran = Prometheus.run(Path.of("."), 60, command.toArray(String[]::new));
        assertThat(ran.code()).as(ran.output()).isZero();
    }

    @Test
    @DisplayName("each alert is silent, fires and resolves as in its test")
    void alerts() throws Exception {
        String tests = Files.readString(TESTS);
        for (Dashboards.Rule rule : Dashboards.rules()) {
            if (rule.alert() != null) {
                assertThat(tests).contains("alertname: " + rule.alert());
            }
        }
        Prometheus.Ran ran =
                Prometheus.run(
                        Path.of("."),
                        60,
                        Prometheus.program("promtool").toString(),
                        "test",
                        "rules",
                        TESTS.toString());
        assertThat(ran.code()).as(ran.output()).isZero();
    }
}
