package org.stillwater.fake.xapi.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stillwater.fake.xapi.codec.Encoding;
import org.stillwater.fake.xapi.codec.Reply;
import org.stillwater.fake.xapi.world.Store.Row;

/** Sessions, events, tasks and the lifecycle, on a clock that stands still. */
class PoolTest {

    private static final String FIRST = "127.9.0.1";
    private static final String SECOND = "127.9.0.2";

    private final WorldClock clock = new WorldClock(0);
    private Pool pool;
    private String session;

    @BeforeEach
    void make() {
        pool = Pool.create(PoolSettings.today(), clock, 7, "p", List.of(FIRST, SECOND), 20);
        session = login("root", "stillwater");
    }

    private String login(String user, String password) {
        return (String) value("session.login_with_password", user, password);
    }

    private Object value(String method, Object... arguments) {
        Reply reply = pool.call(FIRST, method, List.of(arguments));
        assertThat(reply).as(method + " " + reply).isInstanceOf(Reply.Success.class);
        return ((Reply.Success) reply).value();
    }

    private List<String> refused(String method, Object... arguments) {
        return refusedAt(FIRST, method, arguments);
    }

    private List<String> refusedAt(String address, String method, Object... arguments) {
        return ((Reply.Failure) pool.call(address, method, List.of(arguments))).description();
    }

    private Row vm(String state) {
        return pool.objects("VM").stream()
                .filter(each -> each.text("power_state").equals(state))
                .filter(each -> !each.flag("is_a_template") && !each.flag("is_control_domain"))
                .findFirst()
                .orElseThrow();
    }

    private Row again(Row row) {
        return pool.store.get(row.fields().type().name(), row.ref());
    }

    private Map<?, ?> from(String token, String... classes) {
        return (Map<?, ?>) value("event.from", session, List.of(classes), token, 0.0);
    }

    private static List<String> shown(Map<?, ?> batch) {
        List<String> all = new ArrayList<>();
        for (Object each : (List<?>) batch.get("events")) {
            Map<?, ?> event = (Map<?, ?>) each;
            all.add(event.get("class") + " " + event.get("operation"));
        }
        return all;
    }

    @Test
    @DisplayName("X13 a logout takes the session away, and its calls are refused")
    void logout() {
        int before = (Integer) pool.store.counts().get("session");
        String other = login("reader", "reader");
        assertThat(pool.store.counts()).containsEntry("session", before + 1);
        value("session.logout", other);
        assertThat(pool.store.counts()).containsEntry("session", before);
        assertThat(refused("VM.get_all", other)).containsExactly("SESSION_INVALID", other);
    }

    @Test
    @DisplayName("VMs freeze and thaw at once, one alone or many as one change")
    void freeze() {
        String token = (String) from("", "vm").get("token");
        Row first = vm("Running");
        Pool.Commit one = pool.order("VM", first.text("uuid"), "freeze", Map.of());
        assertThat(again(first).text("power_state")).isEqualTo("Paused");
        Map<?, ?> batch = from(token, "vm");
        assertThat(shown(batch)).containsExactly("vm mod");
        assertThat(pool.batches().getLast())
                .containsEntry("generation", one.generation())
                .containsEntry("events", 1)
                .containsEntry("tasks", false);

        Pool.Commit many =
                pool.order("pool", pool.itself().text("uuid"), "freeze", Map.of("vms", "5"));
        assertThat(many.generation()).isGreaterThan(one.generation());
        assertThat(many.nanos()).isGreaterThanOrEqualTo(one.nanos());
        assertThat(shown(from((String) batch.get("token"), "vm"))).hasSize(5);
        pool.order("pool", pool.itself().text("uuid"), "thaw", Map.of());
        assertThat(pool.objects("VM")).noneMatch(row -> row.text("power_state").equals("Paused"));
    }

    @Test
    @DisplayName("batching can be switched while the pool runs")
    void batching() {
        assertThat(pool.batching()).isEqualTo(Events.Batching.NONE);
        pool.order("pool", pool.itself().text("uuid"), "batching", Map.of("real", "true"));
        assertThat(pool.batching()).isEqualTo(Events.Batching.DELAYED);
    }

    @Test
    @DisplayName("X13 a session that was not used for a day ends, and its record goes")
    void idleSession() {
        int before = (Integer) pool.store.counts().get("session");
        String other = login("reader", "reader");
        assertThat(pool.isSession(other)).isTrue();
        clock.advance(Duration.ofHours(25));
        assertThat(pool.isSession(other)).isFalse();
        assertThat(refused("VM.get_all", other)).containsExactly("SESSION_INVALID", other);
        assertThat(pool.store.counts()).containsEntry("session", before);
    }

    @Test
    @DisplayName("X13 an originator has 500 sessions; the one unused for longest goes")
    void originators() {
        for (int i = 0; i < 501; i++) {
            value("session.login_with_password", "root", "stillwater", "1.0", "many");
        }
        assertThat(
                        pool.objects("session").stream()
                                .filter(each -> each.text("originator").equals("many")))
                .hasSize(500);
        value("VM.get_all", session);
    }

    @Test
    @DisplayName("X14 a wrong password is refused")
    void wrongPassword() {
        assertThat(refused("session.login_with_password", "root", "wrong").getFirst())
                .isEqualTo("SESSION_AUTHENTICATION_FAILED");
    }

    @Test
    @DisplayName("X15 a member answers with the coordinator's address, without port")
    void member() {
        assertThat(
                        ((Reply.Failure)
                                        pool.call(
                                                SECOND,
                                                "session.login_with_password",
                                                List.of("root", "stillwater")))
                                .description())
                .containsExactly("HOST_IS_SLAVE", FIRST);
        assertThat(refusedAt(SECOND, "VM.get_all", session))
                .containsExactly("HOST_IS_SLAVE", FIRST);
        pool.order("host", pool.hostAt(SECOND).text("uuid"), "promote", Map.of());
        assertThat(refused("VM.get_all", session))
                .as("sessions end with their coordinator")
                .containsExactly("SESSION_INVALID", session);
        Reply.Success entered =
                (Reply.Success)
                        pool.call(
                                SECOND,
                                "session.login_with_password",
                                List.of("root", "stillwater"));
        assertThat(refused("VM.get_all", entered.value())).containsExactly("HOST_IS_SLAVE", SECOND);
    }

    @Test
    @DisplayName("X24 a booting host answers every call with one error")
    void booting() {
        pool.booting(true);
        assertThat(pool.call(FIRST, "VM.get_all", List.of(session)))
                .isEqualTo(new Reply.Outside(List.of("HOST_STILL_BOOTING")));
    }

    @Test
    @DisplayName("roles: a reader may not start a VM, and a task belongs to its session")
    void roles() {
        String reader = login("reader", "reader");
        List<String> denied =
                List.of(
                        "RBAC_PERMISSION_DENIED",
                        "vm.start",
                        "No permission in user session. (Roles with this permission: pool-admin,"
                                + " pool-operator, vm-power-admin, vm-admin, vm-operator)");
        assertThat(refused("VM.start", reader, vm("Halted").ref(), false, false)).isEqualTo(denied);
        String failed = (String) value("Async.VM.start", reader, vm("Halted").ref(), false, false);
        assertThat(pool.store.get("task", failed).text("status")).isEqualTo("failure");
        assertThat(pool.store.get("task", failed).list("error_info")).isEqualTo(denied);
        assertThat(vm("Halted").map("current_operations")).isEmpty();
        value("VM.get_all_records", reader);
        String task = (String) value("Async.VM.start", session, vm("Halted").ref(), false, false);
        assertThat(refused("task.cancel", reader, task).getFirst())
                .isEqualTo("RBAC_PERMISSION_DENIED");
    }

    @Test
    @DisplayName("refusals: unknown method, wrong count, wrong type, unknown handle, not built")
    void refusals() {
        assertThat(refused("VM.fly", session)).containsExactly("MESSAGE_METHOD_UNKNOWN", "VM.fly");
        assertThat(refused("VM.get_record", session))
                .as("without the session")
                .containsExactly("MESSAGE_PARAMETER_COUNT_MISMATCH", "VM.get_record", "1", "0");
        assertThat(refused("Async.VM.start", session, vm("Halted").ref()))
                .containsExactly("MESSAGE_PARAMETER_COUNT_MISMATCH", "VM.start", "3", "1");
        assertThat(refused("session.login_with_password", "root"))
                .containsExactly(
                        "MESSAGE_PARAMETER_COUNT_MISMATCH",
                        "session.login_with_password",
                        "2",
                        "1");
        assertThat(refused("Async.VM.fly", session))
                .containsExactly("MESSAGE_METHOD_UNKNOWN", "VM.fly");
        assertThat(refused("Async.VM.get_all", session))
                .containsExactly("Fault", "No async mode for this operation (rpc: VM.get_all)");
        assertThat(refused("VM.start", session, vm("Halted").ref(), "no", false).getFirst())
                .isEqualTo("INTERNAL_ERROR");
        assertThat(refused("VM.get_record", session, "OpaqueRef:x"))
                .containsExactly("HANDLE_INVALID", "VM", "OpaqueRef:x");
        assertThat(refused("VM.get_by_uuid", session, "x"))
                .containsExactly("UUID_INVALID", "VM", "x");
        assertThat(refused("VM.query_services", session, vm("Halted").ref()))
                .containsExactly("NOT_IMPLEMENTED", "VM.query_services");
        assertThat(value("VM_get_uuid", session, vm("Halted").ref()))
                .isEqualTo(vm("Halted").text("uuid"));
    }

    @Test
    @DisplayName("refusals come in the real server's order: arguments, session, host, role")
    void orderOfRefusals() {
        String reader = login("reader", "reader");
        assertThat(refusedAt(SECOND, "VM.get_record", "none").getFirst())
                .isEqualTo("MESSAGE_PARAMETER_COUNT_MISMATCH");
        assertThat(refusedAt(SECOND, "VM.start", "none", "x", "no", false).getFirst())
                .isEqualTo("INTERNAL_ERROR");
        assertThat(refusedAt(SECOND, "VM.start", "none", "x", false, false))
                .containsExactly("SESSION_INVALID", "none");
        assertThat(refusedAt(SECOND, "VM.start", reader, "x", false, false))
                .containsExactly("HOST_IS_SLAVE", FIRST);
        assertThat(refused("VM.start", reader, "x", false, false).getFirst())
                .isEqualTo("RBAC_PERMISSION_DENIED");
        assertThat(refused("VM.start", session, "x", false, false))
                .containsExactly("HANDLE_INVALID", "VM", "x");
        assertThat(refused("VM.fly", "none")).containsExactly("SESSION_INVALID", "none");
        assertThat(refused("VM.fly", reader).getFirst()).isEqualTo("RBAC_PERMISSION_DENIED");
        assertThat(refused("VM.fly")).containsExactly("MESSAGE_METHOD_UNKNOWN", "VM.fly");
    }

    @Test
    @DisplayName("X25 the empty token delivers every object once as an add, with the counts")
    void firstBatch() {
        Map<?, ?> batch = from("", "*");
        assertThat(new TreeSet<>(shown(batch))).allMatch(each -> each.endsWith(" add"));
        Map<?, ?> counts = (Map<?, ?>) batch.get("valid_ref_counts");
        assertThat(shown(batch).stream().filter(each -> each.startsWith("vm ")).count())
                .isEqualTo(((Integer) counts.get("vm")).longValue());
        assertThat(counts.containsKey("message")).isFalse();
        assertThat(shown(batch)).contains("message add");
    }

    @Test
    @DisplayName("X27 a thousand changes between two calls are one event with the last state")
    void coalescing() {
        String token = (String) from("", "vm").get("token");
        Row vm = vm("Running");
        for (int i = 1; i <= 1000; i++) {
            value("VM.set_name_label", session, vm.ref(), "name " + i);
        }
        Map<?, ?> batch = from(token, "VM");
        assertThat(shown(batch)).containsExactly("vm mod");
        assertThat(again(vm).text("name_label")).isEqualTo("name 1000");
    }

    @Test
    @DisplayName("X29 an object made and removed between two calls is not reported")
    void madeAndRemoved() {
        String token = (String) from("", "vm").get("token");
        String made = (String) value("VM.clone", session, vm("Halted").ref(), "short");
        value("VM.destroy", session, made);
        assertThat(shown(from(token, "vm"))).doesNotContain("vm add", "vm del");
    }

    @Test
    @DisplayName("X30 of 600 deletions the table forgets the older ones without an error")
    void deleteQueue() {
        String token = (String) from("", "*").get("token");
        List<String> made = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            made.add(pool.store.create("VUSB", Map.of()));
        }
        token = (String) from(token, "*").get("token");
        made.forEach(each -> pool.store.destroy("VUSB", each));
        List<String> events = shown(from(token, "VUSB"));
        assertThat(events).containsOnly("vusb del").hasSizeBetween(256, 512);
        assertThat(pool.store.counts()).containsEntry("vusb", 0);
    }

    @Test
    @DisplayName("X32 a token that is none, and a subscription that is none, are refused")
    void badToken() {
        assertThat(refused("event.from", session, List.of("*"), "x", 0.0))
                .containsExactly("EVENT_FROM_TOKEN_PARSE_FAILURE", "x");
        assertThat(refused("event.from", session, List.of("/a/b"), "", 0.0).getFirst())
                .isEqualTo("EVENT_SUBSCRIPTION_PARSE_FAILURE");
    }

    @Test
    @DisplayName("X37 an injected event comes after every change made before it")
    void inject() {
        value("VM.set_name_label", session, vm("Running").ref(), "before");
        String token = (String) value("event.inject", session, "pool", pool.itself().ref());
        assertThat(shown(from(token, "pool", "vm"))).containsExactly("pool mod");
    }

    @Test
    @DisplayName("X41 a start through Async: its task, the VM's states, and the result as XML text")
    void start() {
        Row vm = vm("Halted");
        String task = (String) value("Async.VM.start", session, vm.ref(), false, false);
        assertThat(again(vm).map("current_operations")).containsEntry(task, "start");
        assertThat(again(vm).list("allowed_operations")).doesNotContain("start");
        clock.advance(Duration.ofSeconds(2));
        Row after = again(vm);
        assertThat(after.text("power_state")).isEqualTo("Running");
        assertThat(after.map("current_operations")).isEmpty();
        assertThat(pool.store.get("host", after.text("resident_on")).list("resident_VMs"))
                .contains(vm.ref());
        Row done = pool.store.get("task", task);
        assertThat(done.text("status")).isEqualTo("success");
        assertThat(done.text("result")).isEqualTo("<value></value>");
        assertThat(done.text("name_label")).isEqualTo("Async.VM.start");
        clock.advance(Duration.ofSeconds(5));
        assertThat(again(vm).list("allowed_operations")).contains("clean_shutdown", "pool_migrate");
        value("task.destroy", session, task);
    }

    @Test
    @DisplayName("X42 an operation in the wrong power state names the states")
    void wrongState() {
        Row vm = vm("Running");
        String task = (String) value("Async.VM.start", session, vm.ref(), false, false);
        assertThat(pool.store.get("task", task).list("error_info"))
                .containsExactly("VM_BAD_POWER_STATE", vm.ref(), "halted", "running");
    }

    @Test
    @DisplayName(
            "X43 a second operation is refused while one runs; a lack of room has its own code")
    void concurrency() {
        Row vm = vm("Running");
        String first = (String) value("Async.VM.clean_shutdown", session, vm.ref());
        assertThat(refused("VM.suspend", session, vm.ref()))
                .containsExactly(
                        "OTHER_OPERATION_IN_PROGRESS", "VM", vm.ref(), "clean_shutdown", first);
        pool.objects("host").forEach(each -> pool.store.set("host", each.ref(), "enabled", false));
        assertThat(refused("VM.start", session, vm("Halted").ref(), false, false))
                .containsExactly("NO_HOSTS_AVAILABLE");
    }

    @Test
    @DisplayName("X44 a migration: one residence at any time, memory moves with it")
    void migration() {
        Row vm = vm("Running");
        String from = vm.text("resident_on");
        String to =
                pool.objects("host").stream()
                        .map(Row::ref)
                        .filter(each -> !each.equals(from))
                        .findFirst()
                        .orElseThrow();
        value("Async.VM.pool_migrate", session, vm.ref(), to, Map.of("live", "true"));
        clock.advance(Duration.ofSeconds(3));
        assertThat(again(vm).text("resident_on")).isEqualTo(from);
        clock.advance(Duration.ofSeconds(1));
        assertThat(again(vm).text("resident_on")).isEqualTo(to);
        long residences =
                pool.objects("host").stream()
                        .filter(each -> each.list("resident_VMs").contains(vm.ref()))
                        .count();
        assertThat(residences).isEqualTo(1);
    }

    @Test
    @DisplayName("X45 a cancelled task has that status, and its VM stays unchanged")
    void cancel() {
        Row vm = vm("Halted");
        String task = (String) value("Async.VM.start", session, vm.ref(), false, false);
        value("task.cancel", session, task);
        assertThat(pool.store.get("task", task).text("status")).isEqualTo("cancelling");
        clock.advance(Duration.ofSeconds(5));
        assertThat(pool.store.get("task", task).list("error_info"))
                .containsExactly("TASK_CANCELLED", task);
        assertThat(again(vm).text("power_state")).isEqualTo("Halted");
        assertThat(again(vm).map("current_operations")).isEmpty();
    }

    @Test
    @DisplayName("X45 a coordinator that restarts forgets tasks, sessions and deletions")
    void restart() {
        String task = (String) value("Async.VM.start", session, vm("Halted").ref(), false, false);
        pool.order("pool", pool.itself().text("uuid"), "restart_coordinator", Map.of());
        assertThat(pool.store.find("task", task)).isNull();
        assertThat(refused("VM.get_all", session)).containsExactly("SESSION_INVALID", session);
        assertThat(vm("Halted").map("current_operations")).isEmpty();
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource({
        "Halted, start start_on provision make_into_template create_vtpm clone copy",
        "Paused, unpause",
        "Suspended, resume resume_on",
        "Running, pause suspend clean_shutdown clean_reboot pool_migrate snapshot_with_quiesce"
                + " changing_VCPUs_live send_sysrq send_trigger data_source_op",
        "Running Paused, hard_reboot",
        "Running Paused Suspended, hard_shutdown shutdown checkpoint",
        "Halted Suspended Running, migrate_send",
        "Halted Running, changing_dynamic_range",
        "Halted Suspended, destroy export create_template",
        "Halted Paused Suspended Running, snapshot revert power_state_reset"
    })
    @DisplayName("X47 every operation is allowed from its power states and from no other")
    void powerStates(String states, String operations) {
        for (String state : List.of("Halted", "Paused", "Suspended", "Running")) {
            Row vm = vm("Running");
            pool.store.set("VM", vm.ref(), "power_state", state);
            for (String operation : operations.split(" ")) {
                XapiError refusal = VmOperations.check(again(vm), true, operation);
                boolean bad =
                        refusal != null
                                && refusal.description().getFirst().equals("VM_BAD_POWER_STATE");
                assertThat(bad)
                        .as(operation + " while " + state + ": " + refusal)
                        .isEqualTo(!List.of(states.split(" ")).contains(state));
            }
            pool.store.set("VM", vm.ref(), "power_state", "Running");
        }
    }

    @Test
    @DisplayName("X47 operations that may overlap, and those that may not")
    void overlaps() {
        assertThat(VmOperations.isConcurrent("clone", List.of("copy", "export"))).isTrue();
        assertThat(VmOperations.isConcurrent("checkpoint", List.of("snapshot"))).isTrue();
        assertThat(VmOperations.isConcurrent("clone", List.of("snapshot"))).isFalse();
        assertThat(VmOperations.isConcurrent("hard_shutdown", List.of("pool_migrate"))).isTrue();
        assertThat(VmOperations.isConcurrent("hard_shutdown", List.of("hard_shutdown"))).isFalse();
        assertThat(VmOperations.isConcurrent("hard_reboot", List.of("hard_reboot"))).isFalse();
        assertThat(VmOperations.isConcurrent("clean_reboot", List.of("migrate_send"))).isTrue();
        assertThat(VmOperations.STATES.keySet())
                .filteredOn(each -> VmOperations.isConcurrent(each, List.of("suspend")))
                .containsExactlyInAnyOrder("hard_shutdown", "hard_reboot");
    }

    @Test
    @DisplayName("a host of a pool without HA is declared dead after ten minutes")
    void deadHost() {
        Row host = pool.hostAt(SECOND);
        pool.order("host", host.text("uuid"), "kill", Map.of());
        clock.advance(Duration.ofSeconds(599));
        assertThat(pool.store.get("host_metrics", host.text("metrics")).flag("live")).isTrue();
        clock.advance(Duration.ofSeconds(1));
        assertThat(pool.store.get("host_metrics", host.text("metrics")).flag("live")).isFalse();
    }

    @Test
    @DisplayName("HA halts the VMs of a dead host during their operations")
    void fenced() {
        pool.order("pool", pool.itself().text("uuid"), "ha", Map.of());
        Row host = pool.hostAt(SECOND);
        Row vm =
                pool.objects("VM").stream()
                        .filter(each -> each.text("resident_on").equals(host.ref()))
                        .filter(each -> !each.flag("is_control_domain"))
                        .findFirst()
                        .orElseThrow();
        pool.order("host", host.text("uuid"), "kill", Map.of());
        clock.advance(Duration.ofSeconds(59));
        String task = (String) value("Async.VM.hard_reboot", session, vm.ref());
        clock.advance(Duration.ofSeconds(1));
        assertThat(again(vm).text("power_state")).isEqualTo("Halted");
        assertThat(again(vm).map("current_operations")).isEmpty();
        assertThat(pool.store.get("task", task).list("error_info"))
                .containsExactly("HOST_OFFLINE", host.ref());
        assertThat(again(host).list("resident_VMs")).doesNotContain(vm.ref());
    }

    @Test
    @DisplayName("an event that fails does not end simulated time")
    void failingEvent() throws InterruptedException {
        try (WorldClock running = new WorldClock(1000)) {
            CountDownLatch later = new CountDownLatch(1);
            running.after(
                    Duration.ZERO,
                    () -> {
                        throw new IllegalStateException("on purpose");
                    });
            running.after(Duration.ofMillis(1), later::countDown);
            assertThat(later.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    @DisplayName("an evacuation moves all guests; a host shuts down once it is disabled and empty")
    void evacuation() {
        Row host = pool.hostAt(SECOND);
        assertThat(
                        pool.store
                                .get(
                                        "task",
                                        (String) value("Async.host.shutdown", session, host.ref()))
                                .list("error_info"))
                .containsExactly("HOST_NOT_DISABLED");
        value("Async.host.disable", session, host.ref());
        clock.advance(Duration.ofSeconds(1));
        String task = (String) value("Async.host.evacuate", session, host.ref());
        clock.advance(Duration.ofSeconds(10));
        assertThat(pool.store.get("task", task).text("status")).isEqualTo("success");
        assertThat(again(host).list("resident_VMs"))
                .containsExactly(again(host).text("control_domain"));
    }

    @Test
    @DisplayName("no VM comes to a host that is being evacuated; without room nothing moves")
    void evacuationRefuses() {
        Row host = pool.hostAt(SECOND);
        String task = (String) value("Async.host.evacuate", session, host.ref());
        assertThat(again(host).map("current_operations")).containsEntry(task, "evacuate");
        assertThat(again(host).list("allowed_operations"))
                .doesNotContain("vm_start", "vm_resume", "vm_migrate", "provision");
        assertThat(refused("VM.start_on", session, vm("Halted").ref(), host.ref(), false, false))
                .containsExactly("HOST_EVACUATE_IN_PROGRESS", host.ref());
        clock.advance(Duration.ofSeconds(10));
        assertThat(again(host).list("allowed_operations")).contains("vm_start");
        Row full = pool.hostAt(FIRST);
        pool.store.set("host", host.ref(), "enabled", false);
        assertThat(refused("host.evacuate", session, full.ref()).getFirst())
                .isEqualTo("CANNOT_EVACUATE_HOST");
        assertThat(again(full).map("current_operations")).isEmpty();
        assertThat(pool.objects("VM"))
                .noneMatch(each -> each.map("current_operations").containsValue("pool_migrate"));
    }

    @Test
    @DisplayName("X49, X52 metrics: the newest row first, a relative start, no matter the clock")
    void metrics() {
        Row host = pool.hostAt(FIRST);
        pool.order("host", host.text("uuid"), "skew", Map.of("seconds", "600"));
        clock.advance(Duration.ofMinutes(1));
        Metrics.Updates updates =
                pool.updates(
                        host.ref(),
                        new Metrics.Query(
                                -5, 5, "AVERAGE", true, java.util.Set.of(), java.util.Set.of()));
        assertThat(updates.rows()).hasSize(2);
        assertThat(updates.rows().getFirst().time()).isEqualTo(updates.end());
        assertThat(updates.end()).isEqualTo(WorldClock.START.getEpochSecond() + 60 + 600);
        assertThat(updates.legend())
                .anyMatch(each -> each.endsWith(":memory_free_kib"))
                .anyMatch(each -> each.contains(":vm:") && each.endsWith(":cpu_usage"));
    }

    @Test
    @DisplayName("X53 an early start is answered from a coarser archive, with its step")
    void coarser() {
        Metrics.Query old =
                new Metrics.Query(
                        WorldClock.START.getEpochSecond() - 3600,
                        5,
                        "AVERAGE",
                        true,
                        java.util.Set.of(),
                        java.util.Set.of());
        assertThat(pool.updates(pool.hostAt(FIRST).ref(), old).step()).isEqualTo(60);
    }

    @Test
    @DisplayName("the same seed makes the same pool and the same events")
    void deterministic() {
        Pool twin =
                Pool.create(
                        PoolSettings.today(),
                        new WorldClock(0),
                        7,
                        "p",
                        List.of(FIRST, SECOND),
                        20);
        Pool other =
                Pool.create(
                        PoolSettings.today(),
                        new WorldClock(0),
                        7,
                        "p",
                        List.of(FIRST, SECOND),
                        20);
        for (Pool each : List.of(twin, other)) {
            Life.begin(each);
            each.clock.advance(Duration.ofMinutes(5));
        }
        assertThat(bytes(twin)).isEqualTo(bytes(other));
        assertThat(twin.state().toString()).isEqualTo(other.state().toString());
    }

    private static String bytes(Pool pool) {
        String session = pool.sessions.login("root", "stillwater", "", "");
        return Encoding.JSON_RPC_2
                .write(new Reply.Success(pool.events.from(session, List.of("*"), "", 0)), 1L)
                .toString();
    }
}
