package org.stillwater.server.api.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.http.HttpStatus;
import org.springframework.util.unit.DataSize;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.MonitoringSettings;
import org.stillwater.relay.intake.RelayIntake;
import org.stillwater.server.SystemClock;
import org.stillwater.server.api.cluster.ClusterOrders;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.CallerScope;
import org.stillwater.server.security.Callers;
import org.stillwater.server.settings.CycleSettings;
import org.stillwater.server.settings.RestSettings;
import org.stillwater.testkit.ScriptedConnector;
import org.stillwater.testkit.memory.InMemoryClusterStore;
import org.stillwater.testkit.memory.InMemoryHostStore;
import org.stillwater.testkit.memory.InMemoryStores;
import org.stillwater.testkit.memory.InMemoryVmStore;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The answers to orders to hosts while the database is away, and to orders that cannot be carried
 * out.
 */
@Timeout(30)
class HostOrdersTest {

    private static final HostId HOST = new HostId(new UUID(0, 1));
    private static final String ID = HOST.toString();
    private static final String NOBODY = new UUID(0, 99).toString();

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final RestSettings SETTINGS =
            new RestSettings(
                    100, 1000, 10_000, 4, DataSize.ofKilobytes(64), Duration.ofMillis(300));

    /** For orders that a test has to see done, however busy the machine is. */
    private static final RestSettings PATIENT =
            new RestSettings(
                    100, 1000, 10_000, 4, DataSize.ofKilobytes(64), Duration.ofSeconds(20));

    /** The caller may do everything. */
    private static final class Administrator extends Callers {
        @Override
        public Caller current() {
            return Caller.withRole("test", Role.ADMINISTRATOR);
        }
    }

    private final SystemClock clock = new SystemClock();
    private final InMemoryVmStore vms = new InMemoryVmStore();
    private final InMemoryHostStore hosts = new InMemoryHostStore(vms);
    private final InMemoryClusterStore clusters = new InMemoryClusterStore(hosts::refersTo);
    private final MonitoringEngine engine =
            new MonitoringEngine(
                    MonitoringSettings.DEFAULT,
                    new ScriptedConnector(clock),
                    InMemoryStores.of(hosts, vms, clusters),
                    clock,
                    new SimpleMeterRegistry());
    private final HostActionController orders =
            new HostActionController(engine.fleet(), engine.administration(), SETTINGS);
    private final HostActionController patient =
            new HostActionController(engine.fleet(), engine.administration(), PATIENT);
    private final HostController definitions =
            new HostController(
                    engine.fleet(),
                    engine.administration(),
                    new HostLists(
                            engine.fleet(),
                            clock,
                            SETTINGS,
                            Binder.get(new StandardEnvironment())
                                    .bindOrCreate("stillwater.cycle", CycleSettings.class),
                            JSON),
                    new CallerScope(engine.fleet(), new Administrator()),
                    new StaticListableBeanFactory().getBeanProvider(RelayIntake.class));
    private final ClusterOrders groups =
            new ClusterOrders(engine, SETTINGS, JSON, new Administrator());

    @BeforeEach
    void start() throws Exception {
        hosts.put(new HostDefinition(HOST, "alpha", "192.0.2.1", 54321), HostStatus.MAINTENANCE);
        engine.start();
    }

    @AfterEach
    void stop() {
        hosts.unavailable(null);
        engine.close();
    }

    @Test
    void anOrderThatIsDurableIsAnsweredWithTheStatusItLedTo() {
        var answer = patient.activate(ID, null);

        assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.OK);
        assertThat(answer.getBody()).isEqualTo(new HostActionController.Answer(ID, "unassigned"));
        assertThat(hosts.status(HOST)).isEqualTo(HostStatus.UNASSIGNED);
    }

    @Test
    void anOrderThatCannotBeMadeDurableInTimeIsAccepted() {
        hosts.unavailable("away");

        var answer = orders.activate(ID, null);

        assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.ACCEPTED);
        assertThat(answer.getBody()).isEqualTo(new HostActionController.Answer(ID, "unassigned"));
        assertThat(hosts.status(HOST)).isEqualTo(HostStatus.MAINTENANCE);
    }

    @Test
    void aHostThatCannotFollowIsRefusedWithItsStatus() {
        assertProblem(
                () -> orders.maintenance(ID, null), HttpStatus.CONFLICT, "The host is maintenance");
    }

    @Test
    void aHostThatIsNotThereIsNotFound() {
        assertProblem(() -> orders.activate(NOBODY, null), HttpStatus.NOT_FOUND, NOBODY);
        assertProblem(() -> orders.maintenance(NOBODY, null), HttpStatus.NOT_FOUND, NOBODY);
        assertProblem(() -> orders.refresh(NOBODY), HttpStatus.NOT_FOUND, NOBODY);
        assertProblem(() -> orders.remove(NOBODY), HttpStatus.NOT_FOUND, NOBODY);
        assertProblem(() -> put(NOBODY, "{}"), HttpStatus.NOT_FOUND, NOBODY);
        assertProblem(() -> orders.remove("alpha"), HttpStatus.BAD_REQUEST, "no UUID");
    }

    @Test
    void aBodyThatIsNotUnderstoodIsRefusedByName() {
        assertProblem(
                () -> orders.maintenance(ID, json("{\"reason\": 7}")),
                HttpStatus.BAD_REQUEST,
                "reason must be text");
        assertProblem(
                () -> orders.maintenance(ID, json("{\"reason\": \"" + "x".repeat(1_001) + "\"}")),
                HttpStatus.BAD_REQUEST,
                "at most 1000 characters");
        assertProblem(
                () -> orders.activate(ID, json("{\"now\": true}")), HttpStatus.BAD_REQUEST, "now");
        assertProblem(() -> put(ID, "{\"port\": 0}"), HttpStatus.BAD_REQUEST, "1 to 65535, not 0");
        assertProblem(
                () -> put(ID, "{\"address\": \"a b\"}"), HttpStatus.BAD_REQUEST, "address must be");
        assertProblem(() -> put(ID, "{\"name\": \"beta\"}"), HttpStatus.BAD_REQUEST, "alpha");
        assertProblem(
                () -> put(ID, "{\"cluster\": \"nowhere\"}"), HttpStatus.BAD_REQUEST, "nowhere");
        assertProblem(
                () -> put(ID, "{\"powerManagement\": 1}"), HttpStatus.BAD_REQUEST, "true or false");
        assertProblem(() -> put(ID, "{\"spm\": true}"), HttpStatus.BAD_REQUEST, "spm");
    }

    @Test
    void nothingIsChangedWhileTheDatabaseIsAway() {
        hosts.unavailable("away");
        clusters.unavailable("away");

        assertProblem(() -> orders.remove(ID), HttpStatus.SERVICE_UNAVAILABLE, "not removed");
        assertProblem(
                () -> put(ID, "{\"storagePoolManager\": true}"),
                HttpStatus.SERVICE_UNAVAILABLE,
                "not changed");
        assertProblem(
                () -> groups.add(json("{\"name\": \"blue\"}")),
                HttpStatus.SERVICE_UNAVAILABLE,
                "not added");
        assertThat(engine.fleet().host(HOST)).isNotNull();
        hosts.unavailable(null);
        assertThat(patient.remove(ID).getStatusCode()).isEqualTo(HttpStatus.NO_CONTENT);
    }

    @Test
    void aClusterThatIsInUseStaysAndAnEmptyOneGoes() {
        String blue = groups.add(json("{\"name\": \"blue\"}"));
        put(ID, "{\"cluster\": \"blue\"}");
        assertProblem(() -> groups.remove(blue), HttpStatus.CONFLICT, "1 hosts and 0 VMs belong");
        assertProblem(
                () -> groups.remove(ClusterId.DEFAULT.toString()),
                HttpStatus.CONFLICT,
                "name no other");

        put(ID, "{\"cluster\": \"" + ClusterId.DEFAULT + "\"}");
        clusters.unavailable("away");
        assertProblem(() -> groups.remove(blue), HttpStatus.SERVICE_UNAVAILABLE, "not removed");
        clusters.unavailable(null);
        assertThat(groups.remove(blue)).isEqualTo(HttpStatus.NO_CONTENT);
        assertProblem(() -> groups.remove(blue), HttpStatus.NOT_FOUND, blue);
    }

    @Test
    void aHostInServiceKeepsItsCluster() {
        groups.add(json("{\"name\": \"blue\"}"));
        patient.activate(ID, null);

        assertProblem(
                () -> put(ID, "{\"cluster\": \"blue\"}"),
                HttpStatus.CONFLICT,
                "maintenance before");
    }

    private HostJsonModule.Host put(String id, String body) {
        return definitions.change(id, json(body));
    }

    private static JsonNode json(String text) {
        return JsonMapper.shared().readTree(text);
    }

    private static void assertProblem(ThrowingCallable call, HttpStatus status, String detail) {
        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(call)
                .withMessageContaining(detail)
                .extracting(ApiException::status)
                .isEqualTo(status);
    }
}
