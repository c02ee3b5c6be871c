package org.stillwater.fake.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.stillwater.fake.net.Fault;
import org.stillwater.fake.net.FaultBoard;
import org.stillwater.fake.net.FaultKind;
import org.stillwater.fake.net.FaultSpec;
import org.stillwater.fake.world.SimulationClock;
import org.stillwater.fake.world.World;
import org.stillwater.fake.world.WorldSettings;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The control port over HTTP, before a world with a stepped clock. */
class ControlServerTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final World world = World.create(WorldSettings.of(7, 2, 5), SimulationClock.manual());
    private final Board board = new Board();
    private final HttpClient client = HttpClient.newHttpClient();
    private ControlServer control;

    @BeforeEach
    void open() throws IOException {
        world.publishTo((_, _) -> {});
        control =
                ControlServer.start(
                        world,
                        null,
                        board,
                        null,
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void close() {
        client.close();
        control.close();
        world.close();
    }

    @Test
    void theRootListsTheRequests() throws Exception {
        assertThat(call("GET", "/", null).body()).contains("POST   /scenario", "live-merge");
    }

    @Test
    void hostsAreListedForAnEngine() throws Exception {
        JsonNode hosts = json(call("GET", "/hosts", null)).get("hosts");
        assertThat(hosts).hasSize(2);
        assertThat(hosts.get(0).get("name").asString()).isEqualTo("host-0001");
        assertThat(hosts.get(0).get("vms").asInt()).isEqualTo(5);
    }

    @Test
    void powerIsSwitchedAsAFenceAgentDoes() throws Exception {
        String power = "/hosts/host-0001/power";
        assertThat(call("GET", power, null).body()).isEqualToIgnoringNewLines("{\"power\":\"on\"}");
        for (int i = 0; i < 2; i++) {
            HttpResponse<String> off = call("POST", power, "{\"state\": \"off\"}");
            assertThat(off.statusCode()).isEqualTo(200);
            assertThat(off.body()).isEqualToIgnoringNewLines("{\"power\":\"off\"}");
        }
        JsonNode host = json(call("GET", "/hosts/host-0001", null));
        assertThat(host.get("condition").asString()).isEqualTo("off");
        assertThat(host.get("vms").asInt()).isZero();
        assertThat(call("POST", power, "{\"state\": \"on\"}").body())
                .isEqualToIgnoringNewLines("{\"power\":\"on\"}");
        assertThat(call("POST", power, "{\"state\": \"maybe\"}").statusCode()).isEqualTo(400);
        assertThat(call("DELETE", power, null).statusCode()).isEqualTo(405);
        assertThat(call("GET", "/hosts/nobody/power", null).statusCode()).isEqualTo(404);
        assertThat(call("POST", "/hosts/host-0002/lose-power", "{}").statusCode()).isEqualTo(200);
        assertThat(call("GET", "/hosts/host-0002/power", null).body())
                .isEqualToIgnoringNewLines("{\"power\":\"off\"}");
    }

    @Test
    void vmsAreCreatedAndTheClockBringsThemUp() throws Exception {
        HttpResponse<String> created =
                call("POST", "/hosts/host-0002/vms", "{\"count\": 3, \"memoryMib\": 1024}");
        assertThat(created.statusCode()).isEqualTo(201);
        JsonNode vms = json(created).get("vms");
        assertThat(vms).hasSize(3);
        String id = vms.get(0).get("id").asString();
        assertThat(vms.get(0).get("status").asString()).isEqualTo("WaitForLaunch");

        JsonNode clock = json(call("POST", "/clock/advance", "{\"by\": \"PT2M\"}"));
        assertThat(clock.get("virtualMillis").asLong()).isEqualTo(120_000);

        JsonNode vm = json(call("GET", "/vms/" + id, null));
        assertThat(vm.get("status").asString()).isEqualTo("Up");
        assertThat(vm.get("memoryMib").asInt()).isEqualTo(1024);
        assertThat(vm.get("host").asString()).isEqualTo("host-0002");
    }

    @Test
    void storageIsSlowedDownAndStateShowsIt() throws Exception {
        String name = world.vms().getFirst().name();
        String host = "/hosts/host-0001/";
        assertThat(
                        call(
                                        "POST",
                                        "/vms/" + name + "/slow-down",
                                        "{\"shape\": \"drift\", \"lasts\": 60}")
                                .statusCode())
                .isEqualTo(200);
        assertThat(call("POST", host + "slow-down", "{\"others\": \"host-0002\"}").statusCode())
                .isEqualTo(200);
        assertThat(call("POST", host + "slow-down", "{\"shape\": \"dip\"}").statusCode())
                .isEqualTo(400);
        JsonNode slowdowns = json(call("GET", "/state", null)).get("slowdowns");
        assertThat(slowdowns).hasSize(2);
        assertThat(slowdowns.get(0).get("level").asString()).isEqualTo("vm");
        assertThat(slowdowns.get(1).get("level").asString()).isEqualTo("cluster");
        assertThat(slowdowns.get(1).get("targets")).hasSize(2);
        assertThat(call("POST", host + "end-slow-downs", "{}").statusCode()).isEqualTo(200);
        assertThat(json(call("GET", "/state", null)).get("slowdowns")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/hosts/host-0001/|{'domain': '00000000-0000-0000-0000-000000000001'}|'domain'",
                "/hosts/host-0001/|{'others': 'host-0002', 'domain':"
                        + " 'f1b2c3d4-0a1b-4c2d-8e3f-a1b2c3d4e5f6'}|'others'",
                "/hosts/host-0001/|{'others': 'host-0099'}|no host 'host-0099'",
                "/hosts/host-0001/|{'lasts': 10}|'lasts'",
                "/hosts/host-0001/|{'shape': 'hill'}|one of [step, drift, dip, recovery",
                "/vms/VM/|{'disk': 'vdz'}|'disk' vdz",
                "/vms/VM/|{'percent': 0}|'percent'",
            },
            quoteCharacter = '`')
    void aSlowdownWithoutAnEffectIsRefusedByName(String path, String body, String named)
            throws Exception {
        String of = path.replace("VM", world.vms().getFirst().name());
        HttpResponse<String> answer = call("POST", of + "slow-down", body.replace('\'', '"'));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(json(answer).path("error").asString()).contains(named);
        assertThat(json(call("GET", "/state", null)).get("slowdowns")).isEmpty();
    }

    @Test
    void aVmIsDirectedByNameAndShownInTheState() throws Exception {
        String name = world.vms().getFirst().name();
        call("POST", "/vms/" + name + "/pause", "{\"cause\": \"enospc\"}");
        JsonNode state = json(call("GET", "/state?host=host-0001", null));
        JsonNode vm = state.get("hosts").get(0).get("vms").get(0);
        assertThat(vm.get("name").asString()).isEqualTo(name);
        assertThat(vm.get("status").asString()).isEqualTo("Paused");
        assertThat(vm.get("pauseCode").asString()).isEqualTo("ENOSPC");
        assertThat(state.get("hosts")).hasSize(1);
    }

    @Test
    void aScenarioRunsOnVirtualTime() throws Exception {
        String vm = world.vms().getFirst().name();
        String script =
                """
                {"steps": [
                  {"at": 10, "vm": "%s", "action": "crash"},
                  {"at": "PT1M", "vm": "%s", "action": "destroy"},
                  {"every": 5, "times": 4, "vm": "any", "action": "watchdog"},
                  {"at": 1, "host": "host-0001", "action": "create-vm", "options": {"name": "late"}}
                ]}
                """
                        .formatted(vm, vm);
        assertThat(json(call("POST", "/scenario", script)).get("planned").asInt()).isEqualTo(4);
        call("POST", "/clock/advance", "{\"by\": 11}");
        assertThat(world.vm(vm).status()).isEqualTo("Down");
        call("POST", "/clock/advance", "{\"by\": 60}");
        assertThat(world.vm(vm).status()).isNull();
        assertThat(world.vm("late").status()).isEqualTo("Up");
        assertThat(json(call("GET", "/scenario", null)).get("performed").asInt()).isEqualTo(7);
    }

    @Test
    void aStepThatDoesNotFitIsPassedOverEachTime() throws Exception {
        String script =
                """
                [{"every": 5, "times": 3, "vm": "any", "action": "slow-down",
                  "options": {"disk": "vdz"}},
                 {"every": 5, "times": 3, "host": "any", "action": "fill-swap",
                  "options": {"usedPercent": 101}}]
                """;
        assertThat(json(call("POST", "/scenario", script)).get("planned").asInt()).isEqualTo(2);
        call("POST", "/clock/advance", "{\"by\": 60}");
        assertThat(json(call("GET", "/scenario", null)).get("passedOver").asInt()).isEqualTo(6);
    }

    @Test
    void aStoppedScenarioDoesNothingMore() throws Exception {
        String vm = world.vms().getFirst().name();
        call(
                "POST",
                "/scenario",
                "[{\"at\": 10, \"vm\": \"%s\", \"action\": \"crash\"}]".formatted(vm));
        call("DELETE", "/scenario", null);
        call("POST", "/clock/advance", "{\"by\": 60}");
        assertThat(world.vm(vm).status()).isEqualTo("Up");
    }

    @Test
    void aScenarioWithOneBadStepIsRefusedWhole() throws Exception {
        HttpResponse<String> answer =
                call(
                        "POST",
                        "/scenario",
                        """
                        [{"vm": "any", "action": "crash"}, {"vm": "any", "action": "explode"}]
                        """);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(json(answer).get("error").asString()).contains("step 2", "explode");
        assertThat(world.plannedSteps()).isZero();
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(FaultKind.class)
    @DisplayName("8b.53 each fault can be switched on and off by REST")
    void everyFaultCanBeSwitchedOnAndOff(FaultKind kind) throws Exception {
        HttpResponse<String> added =
                call(
                        "POST",
                        "/faults",
                        "{\"kind\": \"%s\", \"host\": \"host-0001\"}".formatted(kind.code()));
        assertThat(added.statusCode()).isEqualTo(201);
        String id = json(added).get("id").asString();
        JsonNode listed = json(call("GET", "/faults", null)).get("faults");
        assertThat(listed).hasSize(1);
        assertThat(listed.get(0).get("kind").asString()).isEqualTo(kind.code());

        assertThat(call("DELETE", "/faults/" + id, null).statusCode()).isEqualTo(200);
        assertThat(json(call("GET", "/faults", null)).get("faults")).isEmpty();
        assertThat(call("DELETE", "/faults/" + id, null).statusCode()).isEqualTo(404);
    }

    @Test
    void metricsAreInThePrometheusFormat() throws Exception {
        HttpResponse<String> metrics = call("GET", "/metrics", null);
        assertThat(metrics.headers().firstValue("content-type").orElseThrow())
                .startsWith("text/plain; version=0.0.4");
        assertThat(metrics.body()).contains("# TYPE fake_vdsm_vms gauge\nfake_vdsm_vms 10\n");
    }

    @ParameterizedTest(name = "{0} {1} {2}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "GET|/nothing||404|no such path",
                "GET|/vms/nobody||404|no VM 'nobody'",
                "POST|/hosts/nowhere/reboot||404|no host 'nowhere'",
                "POST|/hosts/host-0001/explode||404|no action 'explode'",
                "POST|/vms/FIRST/explode||404|no action 'explode'",
                "POST|/vms/FIRST/resume||409|not paused",
                "POST|/vms/FIRST/pause|{\"cause\": \"boredom\"}|400|unknown cause",
                "POST|/vms/FIRST/pause|{\"reason\": \"eio\"}|400|unknown option 'reason'",
                "POST|/vms/FIRST/pause|{\"cause\": |400|not JSON",
                "POST|/vms/FIRST/migrate|{\"to\": 5}|400|'to' must be a string",
                "POST|/vms/FIRST/migrate|{\"to\": \"host-0001\"}|409|already",
                "POST|/hosts/host-0001/vms|{\"nics\": 99}|400|nics must be",
                "POST|/hosts/host-0001/vms|{\"nics\": \"2\"}|400|must be an integer",
                "POST|/faults|{\"kind\": \"boredom\"}|400|unknown fault kind",
                "POST|/clock/advance|{\"by\": -5}|400|negative",
                "POST|/clock/advance|{}|400|'by' is missing",
                "GET|/clock/advance||405|only POST",
                "DELETE|/state||405|only GET",
                "GET|/state?host=nowhere||404|no host 'nowhere'",
            })
    void mistakesAreNamed(String method, String path, String body, int status, String words)
            throws Exception {
        String first = world.vms().getFirst().name();
        HttpResponse<String> answer = call(method, path.replace("FIRST", first), body);
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(json(answer).get("error").asString()).contains(words);
    }

    private HttpResponse<String> call(String method, String path, String body) throws Exception {
        InetSocketAddress at = control.address();
        URI uri = URI.create("http://127.0.0.1:" + at.getPort() + path);
        return client.send(
                HttpRequest.newBuilder(uri)
                        .method(
                                method,
                                body == null
                                        ? HttpRequest.BodyPublishers.noBody()
                                        : HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static JsonNode json(HttpResponse<String> response) {
        return JSON.readTree(response.body());
    }

    /** A board without a transport. */
    private static final class Board implements FaultBoard {

        private final List<Fault> faults = new ArrayList<>();
        private int next;

        @Override
        public synchronized Fault add(FaultSpec spec) {
            Fault fault = new Fault("fault-" + ++next, spec, 0);
            faults.add(fault);
            return fault;
        }

        @Override
        public synchronized List<Fault> list() {
            return List.copyOf(faults);
        }

        @Override
        public synchronized boolean remove(String id) {
            return faults.removeIf(fault -> fault.id().equals(id));
        }

        @Override
        public synchronized void clear() {
            faults.clear();
        }
    }
}
