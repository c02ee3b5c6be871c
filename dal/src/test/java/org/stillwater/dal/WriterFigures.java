package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.VmChange;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.dal.embedded.EmbeddedPostgres;
import org.stillwater.dal.embedded.EmbeddedPostgresSettings;
import org.stillwater.testkit.Samples;

/**
 * Figures of the writer and of the embedded server, durable as shipped: {@code ./mvnw verify -pl
 * dal -am -Dit.test=WriterFigures -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false
 * -Dfailsafe.failIfNoSpecifiedTests=false}. No gate, hence no name that the build picks up.
 */
class WriterFigures {

    private static final int FLEET = 100_000;
    private static final int ROUNDS = 20;

    @Test
    void figures(@TempDir Path folder) throws Exception {
        System.out.println(
                System.getProperty("java.vm.version")
                        + ", "
                        + Runtime.getRuntime().availableProcessors()
                        + " cores");
        EmbeddedPostgresSettings settings =
                EmbeddedPostgresSettings.in(folder.resolve("data"))
                        .withBinariesFolder(Path.of("target/embedded-postgres/binaries"));
        long begin = System.nanoTime();
        EmbeddedPostgres.start(settings).close();
        System.out.printf(Locale.ROOT, "fresh start and stop: %.2f s%n", seconds(begin));
        double[] restarts = new double[5];
        for (int i = 0; i < restarts.length; i++) {
            long start = System.nanoTime();
            EmbeddedPostgres again = EmbeddedPostgres.start(settings);
            restarts[i] = seconds(start);
            again.close();
        }
        System.out.println("restart, s: " + spread(restarts));
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(settings);
                Database database =
                        Database.open(
                                DatabaseSettings.of(
                                        postgres.jdbcUrl(),
                                        postgres.user(),
                                        postgres.password()))) {
            write(database);
        }
        System.out.println("data folder: " + size(folder.resolve("data")) / (1024 * 1024) + " MiB");
    }

    private static void write(Database database) throws Exception {
        List<VmId> ids = IntStream.range(0, FLEET).mapToObj(Samples::vm).sorted().toList();
        long start = System.nanoTime();
        for (int from = 0; from < FLEET; from += 5_000) {
            List<StoredVm> vms =
                    ids.subList(from, from + 5_000).stream()
                            .map(id ->
                                    new StoredVm(
                                            id,
                                            Samples.definition(id.leastSignificantBits()),
                                            VmRuntime.INITIAL,
                                            VmPlacement.NOWHERE))
                            .sorted(Comparator.comparing(StoredVm::id))
                            .toList();
            assertThat(database.vms().add(vms))
                    .isEqualTo(new WriteOutcome.Written(5_000, List.of()));
        }
        System.out.printf(
                Locale.ROOT,
                "VMs taken in, with 2 interfaces each: %.0f/s%n",
                FLEET / seconds(start));

        RuntimeFields one = RuntimeFields.of(RuntimeField.FQDN);
        RuntimeFields six =
                RuntimeFields.of(
                        RuntimeField.STATUS,
                        RuntimeField.FQDN,
                        RuntimeField.GUEST_OS,
                        RuntimeField.CLIENT_IP,
                        RuntimeField.SESSION,
                        RuntimeField.GUEST_USER);
        measure(database, ids, one, 10_000, "1 column");
        measure(database, ids, six, 10_000, "6 columns");
        measure(database, ids, one, 1_000, "1 column");
        measure(database, ids, one, 100, "1 column");
        measure(database, ids, one, 10, "1 column");
        measure(database, ids, one, 1, "1 column");

        start = System.nanoTime();
        List<StoredVm> loaded = new ArrayList<>(FLEET);
        database.vms().loadAll(loaded::add);
        System.out.printf(Locale.ROOT, "%d VMs loaded: %.2f s%n", loaded.size(), seconds(start));
    }

    private static void measure(
            Database database, List<VmId> ids, RuntimeFields fields, int rows, String columns) {
        double[] millis = new double[ROUNDS];
        for (int round = -10; round < ROUNDS; round++) {
            VmRuntime runtime = Samples.runtime(round + 100);
            int stride = ids.size() / rows;
            List<VmChange> changes =
                    IntStream.range(0, rows)
                            .mapToObj(i -> VmChange.reported(ids.get(i * stride), fields, runtime))
                            .toList();
            long start = System.nanoTime();
            WriteOutcome outcome = database.vms().write(changes);
            if (round >= 0) {
                millis[round] = seconds(start) * 1_000;
            }
            assertThat(outcome).isEqualTo(new WriteOutcome.Written(rows, List.of()));
        }
        Arrays.sort(millis);
        System.out.printf(
                Locale.ROOT,
                "%d rows x %s: ms %s; rows/s median %.0f%n",
                rows,
                columns,
                spread(millis),
                rows / millis[ROUNDS / 2] * 1_000);
    }

    private static String spread(double[] values) {
        Arrays.sort(values);
        return String.format(
                Locale.ROOT,
                "%.2f / %.2f / %.2f",
                values[0],
                values[values.length / 2],
                values[values.length - 1]);
    }

    private static double seconds(long startNanos) {
        return (System.nanoTime() - startNanos) / 1e9;
    }

    private static long size(Path folder) throws java.io.IOException {
        try (var files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }
}
