package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.audit.AuditFilter;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.SimulatedHost;
import org.stillwater.fake.world.SimulatedVm;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.monitoring.vm.VmView;
import tools.jackson.databind.JsonNode;

/** A host with a valid certificate reports a VM of another host (ADR 0032). */
@Timeout(120)
class LyingHostIT {

    @TempDir static Path folder;
    private static TestDatabase database;
    private static SimulatedFleet fleet;
    private static RunningEngine engine;
    private static SimulatedVm vm;
    private static VmId id;
    private static HostId honest;
    private static HostId lying;
    private static SimulatedHost liar;

    @BeforeAll
    static void start() throws Exception {
        database = TestDatabase.migrated();
        fleet = SimulatedFleet.start(folder, WorldSettings.of(32, 2, 2));
        engine =
                RunningEngine.start(
                        database, fleet.engineArguments(), "--stillwater.cycle.interval=200ms");
        engine.awaitHostsUp(2);
        vm = fleet.world().vms().getFirst();
        id = VmId.of(vm.id());
        RunningEngine.await(
                () ->
                        engine.monitoring().fleet().vm(id) != null
                                && state().runtime().status() == VmStatus.UP,
                () -> "not taken in: " + vm.id());
        honest = state().placement().runOn();
        lying =
                engine.monitoring().fleet().hosts().stream()
                        .map(host -> host.state().definition().id())
                        .filter(host -> !host.equals(honest))
                        .findFirst()
                        .orElseThrow();
        String name = engine.monitoring().fleet().host(lying).state().definition().name();
        liar =
                fleet.world().hosts().stream()
                        .filter(host -> host.name().equals(name))
                        .findFirst()
                        .orElseThrow();
    }

    @AfterAll
    static void stop() {
        engine.close();
        fleet.close();
        database.close();
    }

    private static VmState state() {
        VmView view = engine.monitoring().fleet().vm(id);
        return view.state();
    }

    private static JsonNode shown() {
        return engine.json("/api/v1/vms/" + id);
    }

    @Test
    void aLieOfUpAndThenDownIsShownAndChangesNothing() {
        UUID wire = vm.id();
        liar.claim(wire, "Up");
        RunningEngine.await(
                () ->
                        shown().get("claims").size() == 1
                                && shown().get("claims").get(0).get("refused").booleanValue(),
                () -> shown().toString());
        JsonNode claim = shown().get("claims").get(0);
        assertThat(claim.get("hostId").stringValue()).isEqualTo(lying.toString());
        assertThat(claim.get("status").stringValue()).isEqualTo("up");
        JsonNode host = engine.json("/api/v1/hosts/" + lying).get("claims");
        assertThat(host.size()).isOne();
        assertThat(host.get(0).get("vmId").stringValue()).isEqualTo(id.toString());
        assertThat(host.get(0).get("responsibleHostId").stringValue()).isEqualTo(honest.toString());
        assertThat(engine.json("/api/v1/health/hosts").get("counts").get("contested").intValue())
                .isOne();
        isUntouched();

        liar.claim(wire, "Down");
        RunningEngine.await(() -> shown().get("claims").isEmpty(), () -> shown().toString());
        liar.claim(wire, "Paused");
        liar.claim(wire, "Up");
        RunningEngine.await(() -> shown().get("claims").size() == 1, () -> shown().toString());
        liar.claim(wire, null);
        RunningEngine.await(() -> shown().get("claims").isEmpty(), () -> shown().toString());

        isUntouched();
        assertThat(events(AuditEvent.VM_CONTESTED)).isNotEmpty();
        assertThat(events(AuditEvent.VM_CLAIM_REFUSED)).isNotEmpty();
        assertThat(events(AuditEvent.VM_MOVED_UNEXPECTEDLY)).isEmpty();
        assertThat(events(AuditEvent.VM_DOWN_ERROR)).isEmpty();
    }

    private static void isUntouched() {
        assertThat(state().runtime().status()).isEqualTo(VmStatus.UP);
        assertThat(state().placement().runOn()).isEqualTo(honest);
    }

    private static List<AuditEntry> events(AuditEvent event) {
        try {
            return engine.monitoring().events().newest(AuditFilter.ANY, null, 1000).stream()
                    .filter(entry -> entry.event() == event)
                    .toList();
        } catch (StoreUnavailable e) {
            throw new AssertionError(e);
        }
    }
}
