package org.stillwater.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessCpuTest {

    @TempDir Path proc;

    @Test
    void aProcessCountsUserAndSystemTimeOfAllItsThreads() throws IOException {
        process(10, "java", 1, 250, 50, 9, 9, 0);

        assertThat(new ProcessCpu(proc).nanosOf(10)).isEqualTo(3_000_000_000L);
    }

    @Test
    void aNameWithSpacesAndBracketsIsNoTrouble() throws IOException {
        process(10, "my) (odd prog", 1, 250, 50, 0, 0, 0);

        assertThat(new ProcessCpu(proc).nanosOf(10)).isEqualTo(3_000_000_000L);
    }

    @Test
    void aTreeCountsLivingDescendantsFinelyAndEndedOnesThroughTheirParent() throws IOException {
        process(10, "postgres", 1, 1, 0, 7, 3, 12_345_678);
        process(11, "postgres", 10, 0, 0, 0, 0, 4_000_000);
        process(12, "postgres", 11, 0, 1, 0, 0, 10_500_000);
        process(20, "other", 1, 1000, 0, 0, 0, 0);

        assertThat(new ProcessCpu(proc).nanosOfTree(10))
                .isEqualTo(12_345_678 + 100_000_000 + 4_000_000 + 10_500_000);
    }

    @Test
    void threadsAreChosenByTheStartOfTheirNames() throws IOException {
        process(10, "java", 1, 0, 0, 0, 0, 0);
        thread(10, 11, "GC Thread#0", 1_000);
        thread(10, 12, "G1 Conc#0", 200);
        thread(10, 13, "main", 30_000);

        assertThat(new ProcessCpu(proc).nanosOfThreads(10, List.of("GC Thread", "G1 ")))
                .isEqualTo(1_200);
    }

    @Test
    void residentMemoryIsInKibibytes() throws IOException {
        process(10, "java", 1, 0, 0, 0, 0, 0);
        Files.writeString(proc.resolve("10/status"), "VmPeak:\t 9 kB\nVmRSS:\t  2048 kB\n");

        assertThat(new ProcessCpu(proc).residentBytes(10)).isEqualTo(2 << 20);
    }

    @Test
    void thisMachineCanBeRead() throws IOException {
        ProcessCpu machine = ProcessCpu.ofThisMachine();
        long self = ProcessHandle.current().pid();

        assertThat(machine.nanosOf(self)).isPositive();
        assertThat(machine.nanosOfTree(self)).isPositive();
        assertThat(machine.nanosOfThreads(self, List.of("VM Thread"))).isPositive();
        assertThat(machine.residentBytes(self)).isPositive();
    }

    private void process(
            long pid,
            String name,
            long parent,
            long user,
            long system,
            long childrenUser,
            long childrenSystem,
            long schedNanos)
            throws IOException {
        Path folder = Files.createDirectories(proc.resolve(Long.toString(pid)));
        Files.writeString(
                folder.resolve("stat"),
                "%d (%s) S %d 1 1 0 -1 4194304 97 0 0 0 %d %d %d %d 20 0 1\n"
                        .formatted(pid, name, parent, user, system, childrenUser, childrenSystem));
        Files.writeString(folder.resolve("schedstat"), schedNanos + " 55 3\n");
    }

    private void thread(long pid, long id, String name, long schedNanos) throws IOException {
        Path folder = Files.createDirectories(proc.resolve(pid + "/task/" + id));
        Files.writeString(folder.resolve("comm"), name + "\n");
        Files.writeString(folder.resolve("schedstat"), schedNanos + " 55 3\n");
    }
}
