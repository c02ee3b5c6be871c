package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stillwater.core.definition.VmLease;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.dal.Database;
import org.stillwater.dal.TestDatabase;
import org.stillwater.dal.lock.DatabaseInUse;
import org.stillwater.testkit.Samples;

/** Starts that must not end, and one that must: on an external PostgreSQL. */
@Timeout(180)
class SafeStartIT {

    private static final VmId VM = VmId.of(new UUID(5, 1));
    private static final UUID DOMAIN = new UUID(5, 2);

    @Test
    void anUnreadableSpecificationIsNamedAndASecondEngineIsRefused() throws Exception {
        try (TestDatabase database = TestDatabase.migrated()) {
            try (Database before = database.open()) {
                VmStatic vm =
                        Samples.definition(2).named("damaged", VmOrigin.OVIRT).withNics(List.of());
                DefinitionStore definitions = before.definitions();
                definitions.add(
                        VM,
                        new DefinitionStore.Definition(vm, VmSpecification.BARE, 0, DOMAIN, null));
                definitions.saveLease(VmLease.wanted(VM, DOMAIN)); // read at the start
            }
            database.execute("UPDATE vm_specification SET specification = '{\"cpu\": 7}'");
            try (RunningEngine engine = RunningEngine.start(database, List.of())) {
                assertThat(engine.get("/api/v1/vms/" + VM).statusCode()).isEqualTo(200);
                assertThat(engine.get("/api/v1/vms/" + VM + "/definition"))
                        .satisfies(answer -> {
                            assertThat(answer.statusCode()).isEqualTo(409);
                            assertThat(answer.body())
                                    .contains("specification cannot be read")
                                    .contains("replaces it by a whole one");
                        });
                assertThat(engine.get("/actuator/health").body())
                        .contains("unreadableDefinitions")
                        .contains(VM.toString());
                assertThat(engine.delete("/api/v1/vms/" + VM).statusCode()).isEqualTo(409);
                assertThatThrownBy(() -> RunningEngine.start(database, List.of()).close())
                        .hasRootCauseInstanceOf(DatabaseInUse.class)
                        .rootCause()
                        .hasMessageContaining(
                                "stillwater-engine of process " + ProcessHandle.current().pid());
                assertThat(engine.get("/actuator/health/readiness").statusCode()).isEqualTo(200);
            }
        }
    }
}
