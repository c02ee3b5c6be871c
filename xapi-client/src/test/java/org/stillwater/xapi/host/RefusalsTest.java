package org.stillwater.xapi.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.RefusalCode;

class RefusalsTest {

    private static String words(String... error) {
        HostAnswer<String> answer = Refusals.of(List.of(error), new PoolObjects(Map.of()));
        return ((HostAnswer.Failed<String>) answer).failure().describe();
    }

    @Test
    @DisplayName("X43 a lack of room is one, with the words of the pool")
    void noRoom() {
        for (String each : List.of("NO_HOSTS_AVAILABLE", "HOST_NOT_ENOUGH_FREE_MEMORY")) {
            assertThat(words(each, "4096", "1024"))
                    .isEqualTo(
                            "the host answered code %d: %s 4096 1024"
                                    .formatted(RefusalCode.OUT_OF_MEMORY, each));
        }
    }

    @Test
    @DisplayName("X43 errors that pass are marked, others are not")
    void passing() {
        for (String each : List.of("OTHER_OPERATION_IN_PROGRESS", "TOO_MANY_PENDING_TASKS")) {
            assertThat(words(each)).startsWith("the host answered code " + RefusalCode.BUSY + ":");
        }
        for (String each : List.of("OPERATION_NOT_ALLOWED", "VM_BAD_POWER_STATE", "VDI_IN_USE")) {
            assertThat(words(each)).startsWith("the host answered code 16:");
        }
    }

    @Test
    @DisplayName("X45 a task that was cancelled is not repeated")
    void cancelled() {
        assertThat(words("TASK_CANCELLED", "OpaqueRef:1"))
                .isEqualTo(
                        "the host answered code %d: TASK_CANCELLED OpaqueRef:1"
                                .formatted(RefusalCode.CANCELLED));
    }

    @Test
    @DisplayName("X42 a VM is gone only if the missing object is a VM")
    void missingObjects() {
        for (String each : List.of("HANDLE_INVALID", "UUID_INVALID")) {
            assertThat(words(each, "VM", "OpaqueRef:1"))
                    .startsWith("the host answered code " + RefusalCode.NO_SUCH_VM + ":");
            for (String type : List.of("host", "task", "VDI", "VM_metrics")) {
                assertThat(words(each, type, "OpaqueRef:1"))
                        .startsWith("the host answered code " + RefusalCode.UNEXPECTED + ":")
                        .contains(each, type);
            }
        }
    }

    @Test
    @DisplayName("X43 the operation under way has its name on servers of any age")
    void operationUnderWay() {
        String code = "OTHER_OPERATION_IN_PROGRESS";
        assertThat(words(code, "VM", "OpaqueRef:1", "suspend", "OpaqueRef:2"))
                .contains("suspend is under way");
        assertThat(words(code, "VM.pool_migrate", "OpaqueRef:1"))
                .contains("pool_migrate is under way");
        assertThat(words(code, "VM.{clone,copy}", "OpaqueRef:1"))
                .contains("{clone,copy} is under way");
        assertThat(words(code, "VM", "OpaqueRef:1")).contains("another operation is under way");
        assertThat(words(code)).contains("another operation is under way");
    }
}
