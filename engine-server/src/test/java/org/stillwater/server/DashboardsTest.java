package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The dashboards and rules as files; MetricsIT compares their queries with a running engine. */
@DisplayName("Dashboards and alerts")
class DashboardsTest {

    @Test
    @DisplayName("there is a dashboard for each subject, and each panel has a query")
    void boards() throws IOException {
        Map<String, String> panels = Dashboards.panels();
        assertThat(panels.keySet().stream().map(name -> name.replaceFirst("[.].*", "")).distinct())
                .containsExactly("database", "engine", "fleet", "hosts", "vms");
        assertThat(panels.values()).noneMatch(String::isBlank);
    }

    @Test
    @DisplayName("an alert has a duration or counts, a severity, a summary and a cure")
    void alerts() throws IOException {
        List<Dashboards.Rule> alerts =
                Dashboards.rules().stream().filter(rule -> rule.alert() != null).toList();
        assertThat(alerts).hasSizeGreaterThanOrEqualTo(10);
        assertThat(alerts.stream().map(Dashboards.Rule::alert)).doesNotHaveDuplicates();
        assertThat(alerts)
                .allSatisfy(alert -> {
                    assertThat(alert.alert()).startsWith("Stillwater");
                    assertThat(alert.members().get("labels"))
                            .asString()
                            .matches("\\{severity=(info|warning|critical)\\}");
                    assertThat(alert.members().get("annotations"))
                            .asString()
                            .contains("summary=", "description=");
                    assertThat(
                                    alert.members().containsKey("for")
                                            || alert.expression().startsWith("increase("))
                            .isTrue();
                });
    }

    @Test
    @DisplayName("names of series are found in queries")
    void series() {
        assertThat(
                        Dashboards.series(
                                "sum by (id) (rate(a_total{x=\"b_c\"}[5m])) * on (id) group_left"
                                        + " (name) c_info{name=~\"$d\"} > 1e-9 and e:f"))
                .containsExactly("a_total", "c_info", "e:f");
    }

    @Test
    @Tag("full")
    @DisplayName("promtool accepts the rules; skipped without promtool (package prometheus)")
    void promtool() throws Exception {
        List<String> command = new ArrayList<>(List.of("promtool", "check", "rules"));
        Dashboards.ruleFiles().forEach(file -> command.add(file.toString()));
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            Assumptions.abort("promtool is not installed: " + e.getMessage());
            return;
        }
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(said).isZero();
    }
}
