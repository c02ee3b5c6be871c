package org.stillwater.xapi.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.xapi.client.Records;
import org.stillwater.xapi.client.XapiRecord;

class VmMappingTest {

    private static final String NOWHERE = "OpaqueRef:NULL";

    private static XapiRecord vm(String state, String operations, String on, String scheduled) {
        return Records.of(
                PoolObjects.VM,
                "{\"power_state\":\"%s\",\"current_operations\":{%s},\"resident_on\":\"%s\",\"scheduled_to_be_resident_on\":\"%s\"}"
                        .formatted(state, operations, on, scheduled));
    }

    @ParameterizedTest(name = "{1} while {0}")
    @CsvSource({
        "Halted, start, POWERING_UP, DOWN",
        "Halted, start_on, POWERING_UP, DOWN",
        "Suspended, resume, RESTORING_STATE, SUSPENDED",
        "Suspended, resume_on, RESTORING_STATE, SUSPENDED",
        "Running, clean_shutdown, POWERING_DOWN, UP",
        "Running, hard_shutdown, POWERING_DOWN, UP",
        "Paused, hard_shutdown, POWERING_DOWN, PAUSED",
        "Running, shutdown, POWERING_DOWN, UP",
        "Running, suspend, SAVING_STATE, UP",
        "Running, clean_reboot, REBOOT_IN_PROGRESS, UP",
        "Paused, hard_reboot, REBOOT_IN_PROGRESS, PAUSED",
        "Running, pool_migrate, MIGRATING_FROM, UP",
        "Running, migrate_send, MIGRATING_FROM, UP",
        "Running, pause, UP, UP",
        "Paused, unpause, PAUSED, PAUSED",
        "Running, snapshot, UP, UP",
        "Halted, clone, DOWN, DOWN",
        "Suspended, hard_shutdown, SUSPENDED, SUSPENDED",
        "Halted, clean_shutdown, DOWN, DOWN",
        "Halted, hard_shutdown, DOWN, DOWN",
        "Suspended, suspend, SUSPENDED, SUSPENDED",
    })
    @DisplayName("X46 each operation under way gives its status, which ends with it")
    void operations(String state, String operation, VmStatus during, VmStatus after) {
        boolean runs = state.equals("Running") || state.equals("Paused");
        String on = runs ? "OpaqueRef:h1" : NOWHERE;
        boolean moves = operation.contains("migrate");
        boolean comes = operation.startsWith("start") || operation.startsWith("resume");
        String scheduled = moves || comes ? "OpaqueRef:h2" : NOWHERE;
        String under = "\"OpaqueRef:task\":\"" + operation + "\"";
        assertThat(VmMapping.status(vm(state, under, on, scheduled))).isEqualTo(during);
        assertThat(VmMapping.status(vm(state, "", on, NOWHERE))).isEqualTo(after);
        String two = "\"OpaqueRef:other\":\"snapshot\"," + under;
        assertThat(VmMapping.status(vm(state, two, on, scheduled)))
                .as("beside one that does not show")
                .isEqualTo(during);
    }

    @ParameterizedTest
    @CsvSource({"Halted, start, DOWN", "Suspended, resume, SUSPENDED"})
    @DisplayName("X46 a VM that comes up rests until it has a host")
    void withoutHost(String state, String operation, VmStatus status) {
        String under = "\"OpaqueRef:task\":\"" + operation + "\"";
        assertThat(VmMapping.status(vm(state, under, NOWHERE, NOWHERE))).isEqualTo(status);
        assertThat(VmMapping.status(vm("Running", under, "OpaqueRef:h1", NOWHERE)))
                .as("until the operation ends")
                .isNotEqualTo(VmStatus.UP);
    }

    @ParameterizedTest
    @CsvSource({"OpaqueRef:h2, UP", "OpaqueRef:h1, MIGRATING_FROM"})
    @DisplayName("X44 a migration ends with the VM's new residence, before its operation does")
    void arrived(String on, VmStatus status) {
        String under = "\"OpaqueRef:task\":\"pool_migrate\"";
        assertThat(VmMapping.status(vm("Running", under, on, "OpaqueRef:h2"))).isEqualTo(status);
    }
}
