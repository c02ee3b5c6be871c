package org.stillwater.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Parts of the console without a page, tested in Node; without one on the path it is skipped. */
@Timeout(120)
class StoreTest {

    private static String output(List<String> command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(100, TimeUnit.SECONDS)).isTrue();
        return said;
    }

    private static void run(String name, Path folder) throws Exception {
        Path node = BundleTest.node();
        assumeTrue(node != null, "no Node on the path");
        Path script = folder.resolve(name + ".mjs");
        assertThat(
                        output(
                                List.of(
                                        Path.of("target", "esbuild").toString(),
                                        Path.of("src", "test", "web", name + ".ts").toString(),
                                        "--bundle",
                                        "--format=esm",
                                        "--log-level=warning",
                                        "--outfile=" + script)))
                .isEmpty();
        assertThat(output(List.of(node.toString(), script.toString()))).isEmpty();
    }

    @Test
    void aListThatIsKeptInOrderIsTheOneThatIsMadeAnew(@TempDir Path folder) throws Exception {
        run("store", folder);
    }

    @Test
    void wordsAreFoundInTheTextsThatContainThem(@TempDir Path folder) throws Exception {
        run("texts", folder);
    }

    @Test
    void rowsThatChangeByThemselvesAreFilledInParts(@TempDir Path folder) throws Exception {
        run("grid", folder);
    }

    @Test
    void aScreenThatChangesIsSentTwiceASecondAndAnswersToTheUserAtOnce(@TempDir Path folder)
            throws Exception {
        run("worker", folder);
    }

    @Test
    void aBatchIsFollowedOnANewStreamAfterASilence(@TempDir Path folder) throws Exception {
        run("follow", folder);
    }

    @Test
    void labelsAndAnnotationsOfSeveralLinesSurviveTheirForm(@TempDir Path folder) throws Exception {
        run("pairs", folder);
    }

    @Test
    void keysZoomAndMoveThePeriodOfAChartWithinItsBounds(@TempDir Path folder) throws Exception {
        run("zoom", folder);
    }

    @Test
    void theSearchOfEventsHasKeysAndWords(@TempDir Path folder) throws Exception {
        run("eventquery", folder);
    }

    @Test
    void eventsForAFileAreReadPageByPageUpToABound(@TempDir Path folder) throws Exception {
        run("eventfile", folder);
    }
}
