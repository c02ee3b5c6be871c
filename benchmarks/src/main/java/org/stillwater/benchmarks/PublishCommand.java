package org.stillwater.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.stillwater.benchmarks.scale.PublishedFigures;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench publish}: writes the tables of README and figures page from the measured data. */
@Command(
        name = "publish",
        description = {
            "Writes the tables of README.md and docs/figures.md from docs/figures/a.json, b.json"
                    + " and c.json, and the results of bench all from all.json.",
            "Run it in the checkout, after bench all or bench stable --json wrote these files."
        },
        mixinStandardHelpOptions = true)
final class PublishCommand implements Callable<Integer> {

    @Option(names = "--check", description = "Only compare; exit code 1 if a page differs.")
    private boolean check;

    @Override
    public Integer call() throws IOException {
        Path checkout = Checkout.root(Path.of(""));
        if (check) {
            List<Path> outdated = PublishedFigures.read(checkout).outdated(checkout);
            outdated.forEach(page -> System.out.println("differs from its data: " + page));
            return outdated.isEmpty() ? 0 : 1;
        }
        publish(checkout);
        return 0;
    }

    /** Writes the pages of a checkout that differ from its data. */
    static void publish(Path checkout) throws IOException {
        PublishedFigures figures = PublishedFigures.read(checkout);
        List<Path> outdated = figures.outdated(checkout);
        for (Map.Entry<Path, String> page : figures.pages(checkout).entrySet()) {
            if (outdated.contains(page.getKey())) {
                Files.writeString(page.getKey(), page.getValue());
                System.out.println("Written: " + page.getKey());
            }
        }
        if (outdated.isEmpty()) {
            System.out.println("The pages already show these figures.");
        }
    }
}
