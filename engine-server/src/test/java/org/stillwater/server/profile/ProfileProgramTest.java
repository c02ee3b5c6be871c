package org.stillwater.server.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProfileProgramTest {

    @TempDir Path processes;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... arguments) {
        return ProfileProgram.run(
                List.of(arguments),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    @Test
    void wrongOptionsAreRefusedByName() {
        assertThat(run("--minutes", "61")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("--minutes needs a whole number from 1 to 60, not 61");
        assertThat(run("--seconds=5")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("unknown option --seconds");
        assertThat(run("--out")).isEqualTo(2);
        assertThat(run("--process", "999999999")).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("is no engine of this user");
        assertThat(out.size()).isZero();
    }

    @Test
    void helpNamesTheOptions() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("--minutes N", "--out FILE", "--process PID");
    }

    @Test
    void anEngineIsFoundByItsProgram() {
        assertThat(
                        ProfileProgram.isEngine(
                                "/a b/.stillwater/app/engine-1f/app.jar --server.port=1"))
                .as("a folder with a space is not taken apart")
                .isTrue();
        assertThat(ProfileProgram.isEngine("/x/.stillwater/app/engine-1f/app.jar --server.port=1"))
                .isTrue();
        assertThat(ProfileProgram.isEngine("org.stillwater.server.StillwaterApplication")).isTrue();
        assertThat(ProfileProgram.isEngine("/x/app/fake-1f/app.jar --hosts 5")).isFalse();
        assertThat(ProfileProgram.isEngine("org.example.Main engine-1/app.jar")).isFalse();
        assertThat(ProfileProgram.isEngine("")).isFalse();
    }

    private void process(String number, String... words) throws Exception {
        Path process = Files.createDirectory(processes.resolve(number));
        Files.writeString(process.resolve("cmdline"), String.join("\0", words) + "\0");
    }

    @Test
    void anEngineThatOnlyRootReachesIsNamed() throws Exception {
        String none = "no engine of this user runs on this machine";
        String engine = "org.stillwater.server.StillwaterApplication";
        process("11", "java", "-cp", "/x/app/engine-1f/app.jar", "org.stillwater.server.Other");
        process("12", "java", "-jar", "app.jar");
        process("13", "grep", "-jar");
        Files.createDirectory(processes.resolve("14"));
        assertThat(ProfileProgram.noEngine(null, processes)).isEqualTo(none);
        assertThat(ProfileProgram.noEngine(null, processes.resolve("none"))).isEqualTo(none);

        process("21", "/usr/lib/stillwater/runtime/bin/java", "-cp", "app.jar", engine, "--a=b");
        assertThat(ProfileProgram.noEngine(null, processes))
                .startsWith(none)
                .endsWith("is process 21: run this as root");
        assertThat(ProfileProgram.noEngine("21", processes))
                .startsWith("process 21 is no engine of this user; ")
                .endsWith("is process 21: run this as root");
        assertThat(ProfileProgram.noEngine("11", processes))
                .isEqualTo("process 11 is no engine of this user");
        process("22", "java", "-jar", "/home/a b/.stillwater/app/engine-1f/app.jar");
        assertThat(ProfileProgram.noEngine("22", processes)).endsWith("run this as root");
    }

    @Test
    void thePageHasTheFourFigures() {
        Instant at = Instant.parse("2026-11-20T03:00:00Z");
        Profile profile =
                new Profile(
                        new Profile.Limits(
                                Duration.ofSeconds(10), Duration.ofMinutes(2), 1_000, 100));
        List<Frame> stack = List.of(new Frame("org.stillwater.vdsm.wire.MessageReader", "read"));
        profile.process(at, 0, 0, 0);
        profile.sample(at, stack, ThreadKind.HOST);
        profile.process(at.plusSeconds(2), 1_500_000_000, 0, 0);
        profile.statement(
                at,
                new Interval.StatementKey("JdbcVmStore.writeRuntimes", "UPDATE v", "state"),
                2_000_000,
                1,
                false);
        profile.allocation(at, stack, "byte[]", 3 * 1024 * 1024);
        profile.waited(at, "monitor", "java.lang.Object", stack, 30_000_000);
        profile.heapAfterCollection(at, 2048);

        String page = ProfileText.of(profile, Objects.requireNonNull(profile.window(60)));

        assertThat(page)
                .contains(
                        "CPU: 1.5 s of the process in 2 s, 1 samples",
                        "  decode        100.0%     1.50 s          1",
                        "java.lang.Object (decode, org.stillwater.vdsm.wire.MessageReader.read)",
                        "Database: 1 statements and commits, 0.00 s. Monitoring sent 1 statements",
                        "JdbcVmStore.writeRuntimes (UPDATE v)",
                        "heap after collection 2.0 KiB, resident unknown",
                        "  100.0%      3.0 MiB  byte[]");
    }
}
