package org.stillwater.fake.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Leases of VMs, the tasks that make them, and starts of VMs with them. */
class LeaseTest {

    private static final String FILES = "0d9c8b7a-6f5e-4d3c-8b2a-1f0e9d8c7b6a";
    private static final String BLOCKS = "f1b2c3d4-0a1b-4c2d-8e3f-a1b2c3d4e5f6";
    private static final String NOWHERE = "11111111-0000-4000-8000-00000000000f";
    private static final UUID VM = new UUID(0x1234_4000_8000_4000L, 0x8000_0000_0000_0001L);
    private static final UUID OTHER = new UUID(0x1234_4000_8000_4000L, 0x8000_0000_0000_0002L);

    private final Lab lab = Lab.of(2, 0);

    private static String lease(String domain, UUID vm) {
        return "{\"lease\": {\"sd_id\": \"%s\", \"lease_id\": \"%s\"}}".formatted(domain, vm);
    }

    /** The result of a task. */
    private JsonNode done(String verb, String domain, UUID vm) {
        String task = lab.result(0, verb, lease(domain, vm)).asString();
        lab.pass(2);
        String id = "{\"taskID\": \"%s\"}".formatted(task);
        JsonNode status = lab.result(0, "Task.getStatus", id);
        assertThat(lab.ask(0, "Task.clear", id).code()).isZero();
        return status;
    }

    private void make(String domain, UUID vm) {
        assertThat(done("Lease.create", domain, vm).get("taskResult").asString())
                .isEqualTo("success");
    }

    private JsonNode info(int host, String domain, UUID vm) {
        return lab.result(host, "Lease.info", lease(domain, vm));
    }

    private int code(int host, String verb, String params) {
        return lab.ask(host, verb, params).code();
    }

    @Test
    @DisplayName("a lease is made by a task of the manager, and every host returns its location")
    void aLeaseIsMadeByATask() {
        assertThat(code(0, "Lease.info", lease(FILES, VM))).isEqualTo(936);
        String task = lab.result(0, "Lease.create", lease(FILES, VM)).asString();
        assertThat(UUID.fromString(task)).isNotNull();
        assertThat(code(0, "Lease.info", lease(FILES, VM))).as("while it runs").isEqualTo(936);
        lab.pass(2);
        JsonNode info = info(1, FILES, VM);
        assertThat(Shape.keys(info)).containsExactly("sd_id", "lease_id", "path", "offset");
        assertThat(info.get("sd_id").asString()).isEqualTo(FILES);
        assertThat(info.get("lease_id").asString()).isEqualTo(VM.toString());
        assertThat(info.get("path").asString()).startsWith("/rhev/").endsWith("/dom_md/xleases");
        assertThat(info.get("offset").asLong()).isEqualTo(3L << 20);
        assertThat(lab.result(0, "Host.getAllTasksInfo").get(task).get("verb").asString())
                .isEqualTo("create_lease");
        make(FILES, OTHER);
        assertThat(info(0, FILES, OTHER).get("offset").asLong()).isEqualTo(4L << 20);
        make(BLOCKS, VM);
        assertThat(info(0, BLOCKS, VM).get("path").asString())
                .isEqualTo("/dev/%s/xleases".formatted(BLOCKS));
    }

    @Test
    @DisplayName("a lease that is there fails the task that makes it; a freed slot is used again")
    void aLeaseIsMadeOnce() {
        make(FILES, VM);
        make(FILES, OTHER);
        JsonNode failed = done("Lease.create", FILES, VM);
        assertThat(failed.get("taskResult").asString()).isEqualTo("cleanSuccess");
        assertThat(failed.get("code").asInt()).isEqualTo(100);
        assertThat(failed.get("message").asString()).isEqualTo("Lease %s exists".formatted(VM));
        assertThat(done("Lease.delete", FILES, VM).get("taskResult").asString())
                .isEqualTo("success");
        assertThat(code(0, "Lease.info", lease(FILES, VM))).isEqualTo(936);
        assertThat(done("Lease.delete", FILES, VM).get("code").asInt()).isEqualTo(936);
        UUID third = new UUID(0x1234_4000_8000_4000L, 0x8000_0000_0000_0003L);
        make(FILES, third);
        assertThat(info(0, FILES, third).get("offset").asLong()).isEqualTo(3L << 20);
    }

    @Test
    @DisplayName("another host makes no lease; a domain that is not there fails the task")
    void refusals() {
        assertThat(code(1, "Lease.create", lease(FILES, VM))).isEqualTo(654);
        assertThat(code(1, "Lease.delete", lease(FILES, VM))).isEqualTo(654);
        assertThat(code(0, "Lease.info", lease(NOWHERE, VM))).isEqualTo(358);
        assertThat(done("Lease.create", NOWHERE, VM).get("code").asInt()).isEqualTo(358);
        assertThat(done("Lease.delete", NOWHERE, VM).get("code").asInt()).isEqualTo(358);
        assertThat(code(0, "Lease.info", "{\"lease\": {\"sd_id\": \"%s\"}}".formatted(FILES)))
                .isEqualTo(1000);
    }

    // ---- VMs

    private int start(int host, UUID vm, String domain, String path, long offset) {
        String xml =
                ("<domain type='kvm'><name>vm-%s</name><uuid>%s</uuid><devices><lease>"
                                + "<lockspace>%s</lockspace><key>%s</key>"
                                + "<target path='%s' offset='%d'/></lease></devices></domain>")
                        .formatted(vm, vm, domain, vm, path, offset);
        return code(host, "VM.create", "{\"vmParams\": {\"xml\": \"%s\"}}".formatted(xml));
    }

    private JsonNode stats(int host, UUID vm) {
        return lab.result(host, "VM.getStats", "{\"vmID\": \"%s\"}".formatted(vm)).get(0);
    }

    @Test
    @DisplayName("a VM starts with a lease at the location in its definition")
    void aVmWithALease() {
        make(FILES, VM);
        JsonNode info = info(0, FILES, VM);
        assertThat(start(1, VM, FILES, info.get("path").asString(), info.get("offset").asLong()))
                .isZero();
        lab.pass(120);
        assertThat(stats(1, VM).get("status").asString()).isEqualTo("Up");
        assertThat(
                        lab.result(1, "Host.dumpxmls", "{\"vmList\": [\"%s\"]}".formatted(VM))
                                .get(VM.toString())
                                .asString())
                .contains("<lease>");
        assertThat(start(0, VM, FILES, info.get("path").asString(), info.get("offset").asLong()))
                .as("another host holds it")
                .isEqualTo(16);
    }

    @Test
    @DisplayName("a VM with a missing or misplaced lease does not start")
    void aVmWithoutItsLease() {
        make(FILES, VM);
        String path = info(0, FILES, VM).get("path").asString();
        for (long offset : new long[] {4L << 20, 0}) {
            assertThat(start(1, VM, FILES, path, offset)).as("it is answered at once").isZero();
            lab.pass(30);
            JsonNode stats = stats(1, VM);
            assertThat(stats.get("status").asString()).isEqualTo("Down");
            assertThat(stats.get("exitCode").asInt()).isEqualTo(1);
            assertThat(stats.get("exitReason").asInt()).isEqualTo(3);
            assertThat(code(1, "VM.destroy", "{\"vmID\": \"%s\"}".formatted(VM))).isZero();
        }
        assertThat(start(1, OTHER, BLOCKS, "/dev/%s/xleases".formatted(BLOCKS), 3L << 20)).isZero();
        lab.pass(30);
        assertThat(stats(1, OTHER).get("status").asString()).isEqualTo("Down");
    }
}
