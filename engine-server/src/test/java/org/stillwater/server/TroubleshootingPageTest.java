package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.monitoring.host.HostTrouble;

/**
 * Symptoms that the page of troubleshooting quotes are what the engine says: a message that is
 * changed in the sources changes there as well.
 */
class TroubleshootingPageTest {

    private static final Path ROOT = Path.of("..");
    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

    /** Quotations with values in place of the variables of the message. */
    private static final Map<String, String> WITH_VALUES =
            Map.of(
                    "needs a JDK 25 and found none", "needs a JDK $JDK_VERSION and found none",
                    "from=up to=connecting", "from={} to={}",
                    "are of PostgreSQL 17, and this Stillwater runs PostgreSQL 18",
                            "are of PostgreSQL %d, and this Stillwater runs PostgreSQL %d");

    /** Message of the Java runtime. */
    private static final Set<String> OF_OTHERS =
            Set.of("Terminating due to java.lang.OutOfMemoryError");

    /** First cells of the page's tables. */
    private static List<String> symptoms() throws IOException {
        List<String> cells = new ArrayList<>();
        for (String line : Files.readAllLines(ROOT.resolve("docs/how-to/troubleshoot.md"))) {
            if (line.startsWith("| ") && !line.startsWith("| symptom")) {
                cells.add(line.substring(2, line.indexOf(" |", 2)));
            }
        }
        return cells;
    }

    private static String sources() throws IOException {
        StringBuilder all = new StringBuilder(Files.readString(ROOT.resolve("stillwater")));
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path module : modules.toList()) {
                Path java = module.resolve("src/main/java");
                if (!Files.isDirectory(java)) {
                    continue;
                }
                try (Stream<Path> files = Files.walk(java)) {
                    for (Path each : files.filter(f -> f.toString().endsWith(".java")).toList()) {
                        all.append(Files.readString(each));
                    }
                }
            }
        }
        return all.toString();
    }

    @Test
    void quotedSymptomsAreInTheSources() throws IOException {
        Set<String> codes = new HashSet<>();
        for (HostTrouble each : HostTrouble.values()) {
            codes.add(each.label());
        }
        for (HostStatus each : HostStatus.values()) {
            codes.add(each.name().toLowerCase(Locale.ROOT));
        }
        for (OperationFailure.Code each : OperationFailure.Code.values()) {
            codes.add(each.name().toLowerCase(Locale.ROOT));
        }
        String sources = sources();
        List<String> unknown = new ArrayList<>();
        Set<String> used = new HashSet<>();
        int quoted = 0;
        for (String symptom : symptoms()) {
            Matcher quotation = QUOTED.matcher(symptom);
            while (quotation.find()) {
                quoted++;
                String text = quotation.group(1);
                used.add(text);
                if (!codes.contains(text)
                        && !OF_OTHERS.contains(text)
                        && !sources.contains(WITH_VALUES.getOrDefault(text, text))) {
                    unknown.add(text);
                }
            }
        }
        assertThat(unknown).as("symptoms that the engine does not show").isEmpty();
        assertThat(quoted).isGreaterThan(20);
        assertThat(used).containsAll(WITH_VALUES.keySet()).containsAll(OF_OTHERS);
    }

    /** The statuses between which a lost connection moves a host. */
    @Test
    void aLostHostIsConnecting() {
        assertThat(Set.of(HostStatus.values())).contains(HostStatus.UP, HostStatus.CONNECTING);
    }

    /** Every condition that the engine reports has a cure, or a row of its own in the reference. */
    @Test
    void everyConditionOfHostsIsInTheReference() throws IOException {
        String reference = Files.readString(ROOT.resolve("docs/reference/rest.md"));
        for (HostTrouble each : HostTrouble.values()) {
            assertThat(reference).contains("\n| `" + each.label() + "` |");
        }
    }
}
