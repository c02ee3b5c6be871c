package org.stillwater.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PublishedFiguresTest {

    @TempDir private Path checkout;

    @BeforeEach
    void aCheckout() throws IOException {
        Files.createDirectories(checkout.resolve("docs/figures"));
        page("README.md");
        page("docs/figures.md");
        Files.createDirectories(checkout.resolve("docs/reference"));
        Files.writeString(
                checkout.resolve("docs/reference/sizing.md"),
                SizingTable.BEGIN + "old" + SizingTable.END);
        data("a", "c0ffee", 6_000, 1);
        data("b", "c0ffee", 100_000, 1_000);
        data("c", "c0ffee", 6_000, 1);
    }

    private void page(String name) throws IOException {
        Files.writeString(
                checkout.resolve(name),
                "before\n"
                        + PublishedFigures.BEGIN
                        + "\nold\n"
                        + PublishedFigures.END
                        + "\nafter\n");
    }

    private void data(String name, String commit, int vms, int hosts) throws IOException {
        Files.writeString(
                checkout.resolve("docs/figures/" + name + ".json"),
                """
                {"scenario": "stable", "commit": "%s", "command": "./stillwater bench stable --vms %d",
                 "vms": %d, "hosts": %d, "tls": true, "machine": "2 x a processor",
                 "cpuMillisPerVmCycle": 0.01234, "databaseCpuMillisPerVmCycle": 0.00266, "rssMiB": %d,
                 "engineHeap": "1g", "sqlPerStableCycle": 0.75, "monitoringSqlPerStableCycle": 0,
                 "historySqlPerStableCycle": 0.5, "warehouseSqlPerStableCycle": 0.25, "heapLiveMiB": 648.2,
                 "eventToMemoryMillis": {"p50": 1.5, "p99": 2.5, "max": null},
                 "eventToSubscriberMillis": {"p50": 2.26, "p99": 54, "max": 900},
                 "eventToCommittedMillis": {"p50": 14, "p99": 57, "max": 1189},
                 "spread": {"cpuMillisPerVmCycle": {"min": 0.011, "median": 0.01234, "max": 0.013}},
                 "runs": [{"cpuMillisPerVmCycleByCycle": {"min": 0.01, "median": 0.012, "max": 0.02}},
                          {"cpuMillisPerVmCycleByCycle": {"min": 0.009, "median": 0.012, "max": 0.03}}]}
                """
                        .formatted(commit, vms, vms, hosts, 1_000 + vms / 100));
    }

    @Test
    void theReadmesTableIsMadeFromTheData() throws IOException {
        String readme =
                PublishedFigures.read(checkout).pages(checkout).get(checkout.resolve("README.md"));

        assertThat(readme)
                .startsWith("before\n")
                .endsWith("after\n")
                .doesNotContain("old")
                .contains(
                        "| | 6 000 VMs on 1 host | 100 000 VMs on 1 000 hosts |",
                        "| CPU per VM and cycle, whole engine process | 0.0123 ms | 0.0123 ms |",
                        "| SQL statements of monitoring per stable cycle | 0 | 0 |",
                        "| SQL statements of history and warehouse per cycle | 0.50 + 0.25 |",
                        "| live heap | 648 MiB |",
                        "| event to subscriber, p50 / p99 | 2.3 / 54 ms |",
                        "./stillwater bench stable --vms 100000",
                        "c0ffee");
    }

    @Test
    void thePageOfFiguresHasSpreadsAndUnmeasuredFigures() throws IOException {
        String page =
                PublishedFigures.read(checkout)
                        .pages(checkout)
                        .get(checkout.resolve("docs/figures.md"));

        assertThat(page)
                .contains(
                        "`cpuMillisPerVmCycle` | 0.0123 (0.0110–0.0130)",
                        "single cycles, least to most | 0.0090–0.0300",
                        "`eventToMemoryMillis` p50 / p99 / max | 1.5 / 2.5 / –",
                        "14 / 57 / 1 189");
    }

    @Test
    void theSizesFollowFromTheData() throws IOException {
        assertThat(
                        PublishedFigures.read(checkout)
                                .pages(checkout)
                                .get(checkout.resolve("docs/reference/sizing.md")))
                .contains(
                        "| 1 000 | 20 | below 1 % of one | at most 1.1 GB | 1 CPU, 2 GB |",
                        "| 6 000 | 100 | below 1 % of one | 1.1 GB |",
                        "| 20 000 | 300 | 2 % of one | 1.3 GB |",
                        "| 100 000 | 1 000 | 10 % of one | 2.1 GB |",
                        "CPU: 0.0123 ms of the engine and 0.0027 ms of PostgreSQL",
                        "Memory: 2 000 MiB resident with 100 000 VMs and a heap of at most 1g")
                .doesNotContain("old");
    }

    @Test
    void aPageThatDiffersIsNamed() throws IOException {
        assertThat(PublishedFigures.read(checkout).outdated(checkout))
                .containsExactly(
                        checkout.resolve("README.md"),
                        checkout.resolve("docs/figures.md"),
                        checkout.resolve("docs/reference/sizing.md"));
        for (var page : PublishedFigures.read(checkout).pages(checkout).entrySet()) {
            Files.writeString(page.getKey(), page.getValue());
        }
        assertThat(PublishedFigures.read(checkout).outdated(checkout)).isEmpty();
        data("a", "c0ffee", 7_000, 1);
        assertThat(PublishedFigures.read(checkout).outdated(checkout)).hasSize(3);
    }

    @Test
    void figuresOfSeveralCommitsOrOfAChangedCheckoutAreRefused() throws IOException {
        data("b", "badcafe", 100_000, 1_000);
        assertThatThrownBy(() -> PublishedFigures.read(checkout))
                .hasMessageContaining("several commits");
        data("a", "c0ffee-dirty", 6_000, 1);
        data("b", "c0ffee-dirty", 6_000, 1);
        data("c", "c0ffee-dirty", 6_000, 1);
        assertThatThrownBy(() -> PublishedFigures.read(checkout))
                .hasMessageContaining("clean checkout");
        Files.delete(checkout.resolve("docs/figures/c.json"));
        assertThatThrownBy(() -> PublishedFigures.read(checkout))
                .hasMessageContaining("is missing");
    }

    @Test
    void aRunOfEverythingHasASectionWithCommandsAndResults() throws IOException {
        new RunOfAll(
                        "c0ffee",
                        "2 x a processor",
                        List.of(
                                new RunOfAll.Part(
                                        "write",
                                        "./stillwater bench write",
                                        125,
                                        0,
                                        List.of("rows 130000")),
                                new RunOfAll.Part(
                                        "xapi", "./stillwater bench xapi", 60, 1, List.of())))
                .write(checkout.resolve("docs/figures"));
        assertThatThrownBy(() -> PublishedFigures.read(checkout).pages(checkout))
                .hasMessageContaining("lacks the marks");
        Files.writeString(
                checkout.resolve("docs/figures.md"),
                PublishedFigures.BEGIN
                        + PublishedFigures.END
                        + "between"
                        + RunOfAll.BEGIN
                        + RunOfAll.END);

        assertThat(
                        PublishedFigures.read(checkout)
                                .pages(checkout)
                                .get(checkout.resolve("docs/figures.md")))
                .contains(
                        "single cycles",
                        PublishedFigures.END + "between" + RunOfAll.BEGIN,
                        "**write**: `./stillwater bench write`, 2 min 5 s.",
                        "```text\nrows 130000\n```",
                        "**xapi**: `./stillwater bench xapi`, 1 min 0 s, **not measured to its"
                                + " end** (exit code 1).");
    }

    @Test
    void aRunOfEverythingOfAnotherCommitIsRefused() throws IOException {
        new RunOfAll("badcafe", "a machine", List.of()).write(checkout.resolve("docs/figures"));

        assertThatThrownBy(() -> PublishedFigures.read(checkout))
                .hasMessageContaining("all.json is of commit badcafe");
    }

    /**
     * README and docs/figures.md of this checkout; {@code ./stillwater bench publish} mends them.
     */
    @Test
    void thePagesOfThisCheckoutShowItsData() throws IOException {
        Path here = Path.of("..").toAbsolutePath().normalize();
        assertThat(PublishedFigures.read(here).outdated(here)).isEmpty();
    }
}
