package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The dashboards and rules as files; MetricsIT compares their queries with a running engine. */
@DisplayName("Dashboards and alerts")
class DashboardsTest {

    /** Meters that no panel and no rule shows on purpose. */
    private record Absent(String reason, List<String> meters) {
        Absent(String reason, String... meters) {
            this(reason, List.of(meters));
        }
    }

    private static final List<Absent> ABSENT =
            List.of(
                    new Absent(
                            "a panel shows alerts that fire and wait; these are details of the"
                                    + " engine of rules",
                            "stillwater.alerts.evaluation",
                            "stillwater.alerts.fired",
                            "stillwater.alerts.refused",
                            "stillwater.alerts.resolved",
                            "stillwater.alerts.sent",
                            "stillwater.alerts.unavailable"),
                    new Absent("flood control works as it should", "stillwater.audit.flooded"),
                    new Absent(
                            "health shows what was read back after the start, and what is left out",
                            "stillwater.regressions.points.dropped",
                            "stillwater.regressions.read.back"),
                    new Absent(
                            "benchmarks have pages of their own",
                            "stillwater.benchmarks.kept",
                            "stillwater.benchmarks.permits",
                            "stillwater.benchmarks.runs"),
                    new Absent(
                            "only with adaptive intervals; health shows them",
                            "stillwater.cadence.budget",
                            "stillwater.cadence.hosts",
                            "stillwater.cadence.stretch",
                            "stillwater.cadence.used"),
                    new Absent(
                            "a size of work; lengths and failures are shown",
                            "stillwater.cycle.vms",
                            "stillwater.decoded",
                            "stillwater.events",
                            "stillwater.feed.revision",
                            "stillwater.history.hour",
                            "stillwater.stream.encodings",
                            "stillwater.wire.frames",
                            "stillwater.wire.records"),
                    new Absent(
                            "only beside a data warehouse",
                            "stillwater.dwh.dump",
                            "stillwater.dwh.dumping",
                            "stillwater.dwh.heartbeats",
                            "stillwater.dwh.readers",
                            "stillwater.dwh.skipped"),
                    new Absent(
                            "of one subsystem; the audit log and lists have each case",
                            "stillwater.external.data.open",
                            "stillwater.fence.soft",
                            "stillwater.host.commands",
                            "stillwater.jobs",
                            "stillwater.jobs.ended",
                            "stillwater.jobs.updated",
                            "stillwater.operations.begun",
                            "stillwater.placement.decisions",
                            "stillwater.placement.passes",
                            "stillwater.vm.destroys"),
                    new Absent(
                            "memory is used up as configured; GET /api/v1/engine/memory shows it",
                            "stillwater.history.memory.cut",
                            "stillwater.wire.buffered"),
                    new Absent(
                            "the rule counts statements of these intervals",
                            "stillwater.interval.stable"),
                    new Absent(
                            "a panel shows findings that last; these are details of their search",
                            "stillwater.regressions.begun",
                            "stillwater.regressions.ended",
                            "stillwater.regressions.interval",
                            "stillwater.regressions.refused",
                            "stillwater.regressions.sample",
                            "stillwater.regressions.series",
                            "stillwater.regressions.unavailable"),
                    new Absent(
                            "only with a collector of traces, which has figures of its own",
                            "stillwater.traces.dropped",
                            "stillwater.traces.operations.dropped",
                            "stillwater.traces.pushed"),
                    new Absent(
                            "warnings of one host, which health and the log name",
                            "stillwater.wire.errors",
                            "stillwater.wire.misfits",
                            "stillwater.wire.unmatched"));

    @Test
    @DisplayName("each meter is in a panel or a rule, or absent for a reason")
    void meters() throws IOException {
        Set<String> meters = Dashboards.meters();
        assertThat(meters).hasSizeGreaterThan(100);
        Set<String> absent = new TreeSet<>();
        ABSENT.forEach(each ->
                each.meters()
                        .forEach(meter ->
                                assertThat(absent.add(meter))
                                        .as("%s is named once", meter)
                                        .isTrue()));
        Set<String> shown = Dashboards.shown(meters);
        assertThat(shown)
                .as("meters that are absent on purpose")
                .doesNotContainAnyElementsOf(absent);
        assertThat(meters).as("meters that are absent on purpose").containsAll(absent);
        Set<String> forgotten = new TreeSet<>(meters);
        forgotten.removeAll(shown);
        forgotten.removeAll(absent);
        assertThat(forgotten)
                .as("add these meters to dashboards or alerts, or to ABSENT with the reason")
                .isEmpty();
    }

    @Test
    @DisplayName("series that only some engines have are in a panel or rule")
    void conditional() throws IOException {
        Set<String> named = new TreeSet<>();
        Dashboards.panels().values().forEach(query -> named.addAll(Dashboards.series(query)));
        assertThat(named).containsAll(Dashboards.CONDITIONAL.keySet());
    }

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
}
