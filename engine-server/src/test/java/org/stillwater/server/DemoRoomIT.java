package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stillwater.cli.Client;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.WorldSettings;
import tools.jackson.databind.JsonNode;

/** The world of {@code ./stillwater demo} has room for a newcomer's first operations. */
@Timeout(600)
class DemoRoomIT extends ActingOnVms {

    private static final int HOSTS = 5;
    private static final int VMS_PER_HOST = 20;
    private static final int SOME = 50;

    /** The launcher's memory for hosts of this number of VMs; its own test has the same number. */
    private static final int HOST_MEBIBYTES = 327_680;

    @BeforeEach
    void start() throws Exception {
        database = TestDatabase.migrated();
        fleet =
                SimulatedFleet.start(
                        folder,
                        WorldSettings.of(1, HOSTS, VMS_PER_HOST).withHostMemory(HOST_MEBIBYTES));
        startEngine();
        awaitFaster(() -> up().size() == HOSTS * VMS_PER_HOST);
    }

    private List<String> up() {
        List<String> ids = new ArrayList<>();
        for (JsonNode vm :
                engine.json("/api/v1/vms?limit=1000&fields=id&status=up").path("items")) {
            ids.add(vm.path("id").asString());
        }
        return ids;
    }

    /** As {@link #awaitAdvancing}, with more of the hosts' time at once. */
    private void awaitFaster(BooleanSupplier holds) {
        RunningEngine.await(
                () -> {
                    fleet.world().advance(Duration.ofSeconds(2));
                    return holds.getAsBoolean();
                },
                () -> engine.get("/api/v1/operations?limit=3").body());
    }

    private void all(String action, List<String> vms) {
        String ids = "\"" + String.join("\",\"", vms) + "\"";
        HttpResponse<String> answer =
                engine.post(
                        "/api/v1/vms:batch",
                        "{\"action\": \"%s\", \"vms\": [%s]}".formatted(action, ids));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
        String batch = "/api/v1/batches/" + json(answer).path("id").asString();
        awaitFaster(() -> engine.json(batch + "?limit=1").path("batch").path("ended").asBoolean());
        JsonNode end = engine.json(batch + "?limit=1000");
        assertThat(end.path("batch").path("counts").path("succeeded").asInt())
                .as(action + ": " + end)
                .isEqualTo(vms.size());
    }

    @Test
    void migrationsADrainAndRestartsSucceed() throws Exception {
        assertThat(committedPercent()).isLessThanOrEqualTo(60);
        List<String> some = up().subList(0, SOME);
        all("migrate", some);

        String host = hosts().get(0).path("id").asString();
        HttpResponse<String> drain = engine.post("/api/v1/hosts/" + host + "/maintenance", "{}");
        assertThat(drain.statusCode()).as(drain.body()).isIn(200, 202);
        awaitFaster(() -> status("/api/v1/hosts/" + host).equals("maintenance"));
        assertThat(engine.json("/api/v1/vms?total=true&host=" + host).path("total").asInt())
                .isZero();
        assertThat(engine.post("/api/v1/hosts/" + host + "/activate", "{}").statusCode())
                .isIn(200, 202);
        awaitFaster(() -> status("/api/v1/hosts/" + host).equals("up"));

        all("shutdown", some);
        assertThat(up()).hasSize(HOSTS * VMS_PER_HOST - SOME);
        all("start", some);
        awaitFaster(() -> up().size() == HOSTS * VMS_PER_HOST);

        theCommandLineDoesTheSame();
    }

    /** The output of a command of the command line. */
    private record Told(int code, List<String> out, String err) {}

    private Told client(String... words) throws Exception {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        try (ExecutorService other = Executors.newSingleThreadExecutor()) {
            Future<Integer> code =
                    other.submit(() ->
                            Client.run(
                                    new PrintWriter(out),
                                    new PrintWriter(err),
                                    Map.of("STILLWATER_URL", engine.address()),
                                    words));
            awaitFaster(code::isDone);
            return new Told(code.get(), out.toString().lines().toList(), err.toString());
        }
    }

    private void theCommandLineDoesTheSame() throws Exception {
        Told list =
                client(
                        "vms",
                        "list",
                        "--filter",
                        "host=host-0001",
                        "--order",
                        "-name",
                        "--columns",
                        "name,status,host",
                        "--limit",
                        "2",
                        "--output",
                        "csv");
        assertThat(list.code()).as(list.err()).isZero();
        assertThat(list.out()).hasSize(3).startsWith("name,status,hostName");
        assertThat(list.out().get(1)).endsWith(",up,host-0001");
        String vm = list.out().get(1).split(",")[0];
        String other = list.out().get(2).split(",")[0];

        Told shown = client("vms", "show", vm);
        assertThat(shown.code()).as(shown.err()).isZero();
        assertThat(shown.out())
                .anyMatch(line -> line.matches("name +" + vm))
                .anyMatch(line -> line.startsWith("statistics.usageCpuPercent "));

        Told stopped = client("vms", "stop", vm, other);
        assertThat(stopped.code()).as(stopped.err()).isZero();
        assertThat(stopped.out())
                .containsExactlyInAnyOrder(
                        vm + ": power off succeeded", other + ": power off succeeded");
        Told started = client("vms", "start", vm, "--host", "host-0001");
        assertThat(started.code()).as(started.err()).isZero();
        assertThat(started.out()).containsExactly(vm + ": run succeeded, on host-0001");
        Told again = client("vms", "start", vm);
        assertThat(again.code()).isEqualTo(1);
        assertThat(again.err()).startsWith("stillwater: ");
        assertThat(client("vms", "start", vm, "nobody").err())
                .isEqualTo("stillwater: There is no VM nobody." + System.lineSeparator());

        Told events = client("events", "list", "--filter", "vm=" + vm, "--columns", "event");
        assertThat(events.out()).contains("VM_OPERATION_DONE");
        Told operations =
                client("operations", "list", "--filter", "vm=" + vm, "--columns", "kind,vm,state");
        assertThat(operations.out().getLast()).matches("run +" + vm + " +succeeded");

        try (ExecutorService watcher = Executors.newSingleThreadExecutor()) {
            StringWriter seen = new StringWriter();
            Future<Integer> watch =
                    watcher.submit(() ->
                            Client.run(
                                    new PrintWriter(seen),
                                    new PrintWriter(Writer.nullWriter()),
                                    Map.of("STILLWATER_URL", engine.address()),
                                    "vms",
                                    "watch",
                                    "--filter",
                                    "name=" + vm,
                                    "--columns",
                                    "name,status",
                                    "--output",
                                    "csv",
                                    "--changes",
                                    "1"));
            awaitFaster(() -> seen.toString().contains("listed," + vm + ",up"));
            assertThat(client("vms", "pause", vm).code()).isZero();
            awaitFaster(watch::isDone);
            assertThat(watch.get()).isZero();
            assertThat(seen.toString()).contains("changed," + vm + ",");
        }

        Told drained = client("hosts", "drain", "host-0002");
        assertThat(drained.code()).as(drained.err()).isZero();
        assertThat(drained.out()).containsExactly("host-0002: maintenance");
        Told hosts = client("hosts", "list", "--columns", "name,status,vms");
        assertThat(hosts.out()).anyMatch(line -> line.matches("host-0002 +maintenance +0"));
        assertThat(client("hosts", "activate", "host-0002").code()).isZero();
    }

    private JsonNode hosts() {
        return engine.json("/api/v1/hosts").path("items");
    }

    private double committedPercent() {
        double committed = 0;
        double physical = 0;
        for (JsonNode host : hosts()) {
            committed += host.path("committedMemoryMebibytes").asDouble();
            physical +=
                    engine.json("/api/v1/hosts/" + host.path("id").asString())
                            .path("capabilities")
                            .path("memory")
                            .path("physicalMebibytes")
                            .asDouble();
        }
        assertThat(physical).isPositive();
        return 100 * committed / physical;
    }
}
