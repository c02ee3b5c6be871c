package org.stillwater.benchmarks;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.StableCommand.DurationConverter;
import org.stillwater.benchmarks.scale.ApiRun;
import org.stillwater.benchmarks.scale.StablePlan.ReportSize;
import org.stillwater.benchmarks.start.PageRun;
import org.stillwater.benchmarks.start.StartPlan;
import org.stillwater.core.store.StoreUnavailable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bench api}: how fast the interfaces answer. */
@Command(
        name = "api",
        description = {
            "Requests a second and latencies of the interfaces, and how fast changes reach many"
                    + " readers of the stream.",
            "The same list by SQL joins is measured beside them, and a page out of very many VMs."
        },
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
final class ApiCommand implements Callable<Integer> {

    @Spec private @Nullable CommandSpec spec;

    @Mixin private final FleetOptions fleet = new FleetOptions(60, 6_000, "1g");

    @Option(
            names = "--time",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "How long each kind of request is asked, and how long VMs change.")
    private Duration time = Duration.ofSeconds(10);

    @Option(names = "--readers", paramLabel = "N", description = "Readers of the stream.")
    private int readers = 500;

    @Option(
            names = "--changes-per-second",
            paramLabel = "N",
            description = "Changes that readers receive.")
    private int changesPerSecond = 1_000;

    @Option(
            names = "--page-vms",
            paramLabel = "N",
            description = "VMs out of which a page is asked; 0 for none.")
    private int pageVms = 100_000;

    @Option(
            names = "--only",
            paramLabel = "PART",
            description = "One part alone: ${COMPLETION-CANDIDATES}.")
    private @Nullable Part only;

    @Option(
            names = "--engine-jvm-option",
            paramLabel = "OPTION",
            description = "One more option of the engine's JVM; may be repeated.")
    private List<String> engineJvmOptions = new ArrayList<>();

    /** Sections that are measured one after the other. */
    enum Part {
        LISTS,
        STREAM,
        PAGES
    }

    private boolean measures(Part part) {
        return only == null || only == part;
    }

    @Override
    public Integer call() throws IOException, InterruptedException, SQLException, StoreUnavailable {
        String table = "";
        ApiRun.Parts parts = new ApiRun.Parts(measures(Part.LISTS), measures(Part.STREAM));
        if (parts.lists() || parts.stream()) {
            table =
                    new ApiRun(
                                    fleet.plan(
                                            1,
                                            0,
                                            ReportSize.SMALL,
                                            Duration.ZERO,
                                            engineJvmOptions),
                                    time,
                                    readers,
                                    changesPerSecond,
                                    parts,
                                    System.out)
                            .measure();
        }
        String pages = "";
        if (pageVms > 0 && measures(Part.PAGES)) {
            pages =
                    new PageRun(
                                    new StartPlan(
                                            pageVms,
                                            100,
                                            1,
                                            Duration.ZERO,
                                            FleetOptions.folder("engine"),
                                            "2g",
                                            List.of(),
                                            List.of(),
                                            FleetOptions.folder("folder")),
                                    time,
                                    System.out)
                            .measure();
        }
        Results.print(spec, table + pages + Results.machine());
        return 0;
    }
}
