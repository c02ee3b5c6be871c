package org.stillwater.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The reference page of series follows from the lists of families. With {@code
 * -Dstillwater.docs=write} it is written instead.
 */
class SeriesPageTest {

    private static final Path PAGE = Path.of("..", "docs", "reference", "series.md");

    @Test
    void thePageListsEveryFamily() throws IOException {
        StringBuilder page =
                new StringBuilder(
                        """
                        # Series of VMs and hosts

                        Families at `/metrics/vms` and `/metrics/hosts`; [how to scrape them](../how-to/scrape-with-prometheus.md). Names are those of
                        Prometheus' text format. The `ovirt_…` families are at `/metrics/exporter/vms` and `/metrics/exporter/hosts`, and with
                        `stillwater.metrics.exporter-names=true` also at the other two. Hosts with static huge pages also have
                        `ovirt_host_hugepages_SIZE_free` and `ovirt_host_hugepages_SIZE_total`, with the size in KiB.

                        ## Groups of series of VMs

                        `stillwater.metrics.vm-families` and the query `families` take these, names of series, and `all`:

                        | group | series, each after `stillwater_vm` |
                        |---|---|
                        """);
        VmFamilies.GROUPS.forEach((group, names) ->
                page.append(
                        "| `%s` | %s |\n"
                                .formatted(
                                        group,
                                        names.stream()
                                                .map(name ->
                                                        name.isEmpty()
                                                                ? "`_info`"
                                                                : "`_" + name + "`")
                                                .collect(Collectors.joining(", ")))));
        section(page, "VMs", VmFamilies.ALL);
        section(page, "Hosts", HostFamilies.ALL);
        section(page, "VMs, as ovirt_exporter", ExporterFamilies.ofVms(_ -> List.of()));
        section(page, "Hosts, as ovirt_exporter", ExporterFamilies.ofHosts(List.of()));
        section(page, "Storage domains, as ovirt_exporter", ExporterFamilies.ofStorage());
        if ("write".equals(System.getProperty("stillwater.docs"))) {
            Files.writeString(PAGE, page);
        }
        assertThat(PAGE).as("-Dstillwater.docs=write renews it").hasContent(page.toString());
    }

    private static <S> void section(StringBuilder page, String title, List<Family<S>> families) {
        page.append("\n## ")
                .append(title)
                .append("\n\n| series | kind | description |\n|---|---|---|\n");
        for (Family<S> family : families) {
            page.append(
                    "| `%s` | %s | %s |\n"
                            .formatted(
                                    family.kind().sampleName(family.name()),
                                    family.kind().name().toLowerCase(Locale.ROOT),
                                    family.help()));
        }
    }
}
