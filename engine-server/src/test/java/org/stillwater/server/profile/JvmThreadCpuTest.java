package org.stillwater.server.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JvmThreadCpuTest {

    @TempDir Path process;

    private JvmThreadCpu cpu;

    @BeforeEach
    void aProcess() throws IOException {
        Files.createDirectories(process.resolve("task"));
        Files.writeString(process.resolve("comm"), "java\n");
        cpu = JvmThreadCpu.compilers(process.resolve("task"));
    }

    @Test
    void compilersCountAndOtherThreadsDoNot() throws IOException {
        thread(1, "java", 900_000_000);
        thread(11, "C2 CompilerThre", 40_000_000);
        thread(12, "C1 CompilerThre", 2_000_000);
        thread(13, "cycle-1", 700_000_000);

        assertThat(cpu.millis()).isEqualTo(42);

        thread(11, "C2 CompilerThre", 45_000_000);
        thread(13, "cycle-1", 800_000_000);

        assertThat(cpu.millis()).isEqualTo(47);
    }

    @Test
    void threadsThatCollectBesideTheProgramCountAndThoseOfPausesDoNot() throws IOException {
        thread(21, "G1 Conc#0", 30_000_000);
        thread(22, "G1 Main Marker", 4_000_000);
        thread(23, "G1 Refine#1", 3_000_000);
        thread(24, "GC Thread#0", 500_000_000);
        thread(25, "C2 CompilerThre", 40_000_000);

        assertThat(JvmThreadCpu.concurrentCollectors(process.resolve("task")).millis())
                .isEqualTo(37);
    }

    @Test
    void aThreadThatEndedKeepsItsTime() throws IOException {
        thread(11, "C2 CompilerThre", 40_000_000);
        assertThat(cpu.millis()).isEqualTo(40);

        remove(11);
        assertThat(cpu.millis()).isEqualTo(40);

        thread(14, "C2 CompilerThre", 3_000_000);
        assertThat(cpu.millis()).isEqualTo(43);
    }

    @Test
    void aThreadIsReadAgainUntilItHasItsName() throws IOException {
        thread(11, "java", 0);
        assertThat(cpu.millis()).isZero();

        thread(11, "C2 CompilerThre", 5_000_000);
        assertThat(cpu.millis()).isEqualTo(5);
    }

    @Test
    void thisProcessHasCompiled() {
        assertThat(JvmThreadCpu.compilers(Path.of("/proc/self/task")).millis()).isPositive();
        Path nothing = process.resolve("nothing");
        assertThat(JvmThreadCpu.compilers(nothing).millis())
                .as("elapsed time, where there is no /proc")
                .isPositive();
        assertThat(JvmThreadCpu.concurrentCollectors(nothing).millis()).isZero();
    }

    private void thread(int id, String name, long nanos) throws IOException {
        Path folder = Files.createDirectories(process.resolve("task/" + id));
        Files.writeString(folder.resolve("comm"), name + "\n");
        Files.writeString(folder.resolve("schedstat"), nanos + " 17 3\n");
    }

    private void remove(int id) throws IOException {
        Path folder = process.resolve("task/" + id);
        Files.delete(folder.resolve("comm"));
        Files.delete(folder.resolve("schedstat"));
        Files.delete(folder);
    }
}
