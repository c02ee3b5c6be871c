package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.dal.Database;
import org.stillwater.dal.TestDatabase;
import org.stillwater.testkit.Samples;

/** The statements of a start. */
@Timeout(600) // an engine that does not start must not stop the build
class StartIT {

    /**
     * One for each kind of thing that is kept, not for each thing, and one that gives the server
     * memory for the rows of VMs.
     */
    private static final long MOST_STATEMENTS = 36;

    @Test
    void memoryIsLoadedByTheSameStatementsForAnyNumberOfVms() throws Exception {
        // The first one in this JVM may make the administrator that later databases begin with.
        assertThat(statementsOfAStart(1)).isBetween(1L, MOST_STATEMENTS);
        assertThat(statementsOfAStart(600))
                .isEqualTo(statementsOfAStart(3))
                .isBetween(1L, MOST_STATEMENTS);
    }

    private static long statementsOfAStart(int vms) throws Exception {
        try (TestDatabase database = TestDatabase.migrated()) {
            try (Database before = database.open()) {
                List<StoredVm> all =
                        LongStream.rangeClosed(1, vms)
                                .mapToObj(StartIT::suspended)
                                .sorted(Comparator.comparing(StoredVm::id))
                                .toList();
                assertThat(before.vms().add(all))
                        .isEqualTo(new WriteOutcome.Written(vms, List.of()));
            }
            try (RunningEngine engine = RunningEngine.start(database, List.of())) {
                assertThat(engine.monitoring().fleet().vmCount()).isEqualTo(vms);
                assertThat(engine.json("/api/v1/vms").path("total").asInt()).isEqualTo(vms);
                engine.awaitWritten();
                return engine.statements();
            }
        }
    }

    /** Nothing follows from it. */
    private static StoredVm suspended(long seed) {
        return new StoredVm(
                Samples.vm(seed),
                Samples.definition(seed),
                VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.SUSPENDED),
                VmPlacement.NOWHERE);
    }
}
