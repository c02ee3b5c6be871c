package org.stillwater.xapi.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stillwater.fake.xapi.net.FaultKind;
import org.stillwater.fake.xapi.net.Faults;
import org.stillwater.fake.xapi.net.PoolServer;
import org.stillwater.fake.xapi.world.Pool;
import org.stillwater.fake.xapi.world.PoolSettings.Era;
import org.stillwater.fake.xapi.world.Store.Row;

/** Sessions, fail-over, negotiation and trust, against simulated pools on real sockets. */
class PoolConnectionTest {

    private static final XapiClass HOST = XapiClass.of("host");

    /** More logins than a test makes. */
    private static final int MANY = 100;

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource({
        "Y2013, JSON_IN_XML",
        "Y2016, JSON_RPC",
        "Y2018, JSON_RPC",
        "Y2025, JSON_RPC",
        "TODAY, JSON_RPC"
    })
    @DisplayName("X10 the best encoding that a server of its age speaks is found")
    void negotiation(Era era, XapiEncoding encoding) throws Exception {
        try (Lab lab = new Lab("127.10.1", era, 2, 4, false)) {
            PoolConnection connection = lab.connect();
            assertThat(connection.allRecords(HOST)).hasSize(2);
            assertThat(connection.encoding()).isEqualTo(encoding);
        }
    }

    @Test
    @DisplayName("X2, X10 where JSON inside XML is no more, plain XML is used")
    void noJsonInside() throws Exception {
        try (Lab lab = Lab.today("127.10.2")) {
            PoolConnection connection =
                    lab.connect(
                            lab.access(lab.addresses.getFirst())
                                    .with(XapiEncoding.JSON_IN_XML, XapiEncoding.XML_RPC));
            assertThat(connection.allRecords(HOST)).hasSize(3);
            assertThat(connection.encoding()).isEqualTo(XapiEncoding.XML_RPC);
        }
    }

    @Test
    @DisplayName("X10 an encoding stays for a session, and the next login looks for a better one")
    void negotiatedAgain() throws Exception {
        try (Lab lab = Lab.today("127.10.27")) {
            // JSON-RPC is tried first.
            lab.server.faults().add(FaultKind.HTTP_STATUS, "", "session.login", "500", 1);
            PoolConnection connection = lab.connect();
            assertThat(connection.allRecords(HOST)).hasSize(3);
            assertThat(connection.allRecords(HOST)).hasSize(3);
            assertThat(connection.encoding()).isEqualTo(XapiEncoding.XML_RPC);
            lab.order("end_sessions");
            assertThat(connection.allRecords(HOST)).hasSize(3);
            assertThat(connection.encoding()).isEqualTo(XapiEncoding.JSON_RPC);
        }
    }

    @Test
    @DisplayName("X12 the same records come through all encodings")
    void sameRecords() throws Exception {
        try (Lab lab = new Lab("127.10.3", Era.Y2016, 2, 10, false)) {
            List<Object> read = new ArrayList<>();
            for (XapiEncoding each : XapiEncoding.values()) {
                try (PoolConnection connection =
                        lab.connect(lab.access(lab.addresses.getFirst()).with(each))) {
                    List<Object> all = new ArrayList<>();
                    for (XapiClass type : XapiClass.all()) {
                        all.add(connection.allRecords(type));
                    }
                    read.add(all);
                }
            }
            assertThat(read.get(1)).isEqualTo(read.get(0));
            assertThat(read.get(2)).isEqualTo(read.get(0));
        }
    }

    @Test
    @DisplayName("X13 a connection logs in with its originator and logs out when it closes")
    void logout() throws Exception {
        try (Lab lab = Lab.today("127.10.4")) {
            int before = lab.sessions();
            PoolConnection connection = lab.connect();
            connection.session();
            assertThat(lab.pool.objects("session"))
                    .anyMatch(each -> each.text("originator").equals("engine-1"));
            connection.close();
            assertThat(lab.sessions()).isEqualTo(before);
        }
    }

    @ParameterizedTest(name = "{0} of {1}")
    @CsvSource({
        "HTTP_STATUS, host.get_all, 500",
        "ERROR, host.get_all, RBAC_PERMISSION_DENIED host.get_all_records",
        "ERROR, pool.get_all, INTERNAL_ERROR x",
    })
    @DisplayName("X13 a session that cannot read the pool is logged out")
    void uselessSession(FaultKind kind, String call, String argument) throws Exception {
        try (Lab lab = Lab.today("127.10.25")) {
            PoolConnection connection =
                    lab.connect(lab.access(lab.addresses.getFirst()).with(XapiEncoding.JSON_RPC));
            lab.server.faults().add(kind, "", call, argument, 0);
            assertThatThrownBy(connection::session).isInstanceOf(XapiException.class);
            assertThat(lab.sessions()).isZero();
        }
    }

    @Test
    @DisplayName("X13 a search that enters two pools logs out from the one that it does not use")
    void secondPool() throws Exception {
        try (Lab lab = Lab.today("127.10.26", 3, 0)) {
            String foreign = lab.addresses.get(2);
            Pool ejected = lab.pools.eject(lab.pool.hostAt(foreign).text("uuid"));
            lab.server.faults().add(FaultKind.RESET, lab.addresses.get(1), "", "", 0);
            PoolAccess access = lab.access(lab.addresses.get(1), lab.addresses.getFirst(), foreign);
            // On one thread: both have answered before the first answer is used.
            try (PoolConnection connection =
                    PoolConnection.stepped(
                            access,
                            new NetworkTransport(access, lab.pins, Lab.CLOCK),
                            lab.claims,
                            Lab.CLOCK)) {
                connection.session();
                assertThat(connection.coordinator()).isEqualTo(lab.addresses.getFirst());
                assertThat(lab.sessions()).isEqualTo(1);
                assertThat(ejected.objects("session")).isEmpty();
            }
        }
    }

    @Test
    @DisplayName("X14 a wrong password is tried once in five seconds, however often it is needed")
    void wrongPassword() throws Exception {
        ScriptedPool pool = new ScriptedPool("192.0.2.1");
        pool.failures.put(
                "session.login_with_password", List.of("SESSION_AUTHENTICATION_FAILED", "root"));
        try (PoolConnection connection = pool.connect()) {
            for (int second = 0; second < 12; second++) {
                for (int i = 0; i < 3; i++) {
                    assertThatThrownBy(connection::session)
                            .hasMessageStartingWith("SESSION_AUTHENTICATION_FAILED");
                }
                assertThat(pool.calls).as("after %d s", second).hasSize(1 + second / 5);
                pool.pass(Duration.ofSeconds(1));
            }
            pool.failures.clear();
            pool.pass(Duration.ofSeconds(5));
            assertThat(connection.session().epoch()).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("X14 a host that refuses the password does not hide the coordinator")
    void refusedByOne() throws Exception {
        try (Lab lab = Lab.today("127.10.23")) {
            String foreign = lab.addresses.get(2);
            refuseLogins(lab, foreign);
            PoolConnection connection = lab.connect(lab.access(foreign, lab.addresses.get(1)));
            connection.session();
            assertThat(connection.coordinator()).isEqualTo(lab.addresses.getFirst());
        }
    }

    @Test
    @DisplayName(
            "X14 a coordinator that refuses the password gets one login, though hosts name it, too")
    void refusedOnce() throws Exception {
        try (Lab lab = Lab.today("127.10.24")) {
            Faults.Fault refusal = refuseLogins(lab, lab.addresses.getFirst());
            PoolConnection connection =
                    lab.connect(lab.access(lab.addresses.toArray(String[]::new)));
            assertThatThrownBy(connection::session)
                    .hasMessageStartingWith("SESSION_AUTHENTICATION_FAILED");
            assertThat(refusal.left()).hasValue(MANY - 1);
        }
    }

    private static Faults.Fault refuseLogins(Lab lab, String address) {
        return lab.server
                .faults()
                .add(
                        FaultKind.ERROR,
                        address,
                        "session.login",
                        "SESSION_AUTHENTICATION_FAILED root",
                        MANY);
    }

    @Test
    @DisplayName("X15 a member leads to the coordinator")
    void redirect() throws Exception {
        try (Lab lab = Lab.today("127.10.6")) {
            PoolConnection connection = lab.connect(lab.access(lab.addresses.get(2)));
            connection.session();
            assertThat(connection.coordinator()).isEqualTo(lab.addresses.getFirst());
        }
    }

    @Test
    @DisplayName("X15 members that name each other are found out")
    void redirectLoop() throws Exception {
        try (Lab lab = Lab.today("127.10.7")) {
            String one = lab.addresses.get(1);
            String two = lab.addresses.get(2);
            lab.server.faults().add(FaultKind.ERROR, one, "session", "HOST_IS_SLAVE " + two, 0);
            lab.server.faults().add(FaultKind.ERROR, two, "session", "HOST_IS_SLAVE " + one, 0);
            assertThatThrownBy(() -> lab.connect(lab.access(one)).session())
                    .isInstanceOf(XapiException.Unreachable.class)
                    .hasMessageContaining("name each other");
        }
    }

    @Test
    @DisplayName("X16 many calls with an ended session log in once and are repeated")
    void singleFlight() throws Exception {
        try (Lab lab = Lab.today("127.10.8");
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            PoolConnection connection = lab.connect();
            connection.session();
            lab.order("end_sessions");
            List<Callable<Integer>> calls = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                calls.add(() -> connection.allRecords(HOST).size());
            }
            for (Future<Integer> each : threads.invokeAll(calls)) {
                assertThat(each.get()).isEqualTo(3);
            }
            assertThat(lab.sessions()).isEqualTo(1);
            assertThat(connection.session().epoch()).isEqualTo(2);
        }
    }

    @Test
    @DisplayName("X18 when the coordinator dies, the next one is found among the members")
    void failOver() throws Exception {
        try (Lab lab = Lab.today("127.10.9")) {
            PoolConnection connection = lab.connect();
            connection.session();
            Row first = lab.pool.hostAt(lab.addresses.getFirst());
            lab.order("host", first, "kill");
            lab.server.dropConnections(lab.addresses.getFirst());
            assertThatThrownBy(() -> connection.allRecords(HOST)).isInstanceOf(IOException.class);
            lab.order("host", lab.pool.hostAt(lab.addresses.get(1)), "promote");
            assertThat(connection.allRecords(HOST)).hasSize(3);
            assertThat(connection.coordinator()).isEqualTo(lab.addresses.get(1));
        }
    }

    @Test
    @DisplayName("X18 a new coordinator that all members name gets one login")
    void failOverOfManyHosts() throws Exception {
        try (Lab lab = Lab.today("127.10.22", 12, 3)) {
            PoolConnection connection = lab.connect();
            connection.session();
            lab.order("host", lab.pool.hostAt(lab.addresses.getFirst()), "kill");
            lab.server.dropConnections(lab.addresses.getFirst());
            assertThatThrownBy(() -> connection.allRecords(HOST)).isInstanceOf(IOException.class);
            lab.order("host", lab.pool.hostAt(lab.addresses.get(1)), "promote");
            assertThat(connection.allRecords(HOST)).hasSize(12);
            assertThat(connection.coordinator()).isEqualTo(lab.addresses.get(1));
            assertThat(lab.sessions()).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("X19 an ejected host answers with the same password, and is refused")
    void ejected() throws Exception {
        try (Lab lab = Lab.today("127.10.10")) {
            PoolConnection connection = lab.connect();
            connection.session();
            String last = lab.addresses.get(2);
            for (Row vm : lab.pool.objects("VM")) {
                if (vm.text("power_state").equals("Running") && !vm.flag("is_control_domain")) {
                    lab.order("VM", vm, "hard_shutdown");
                }
            }
            lab.pools.clock().advance(Duration.ofSeconds(5));
            lab.pools.eject(lab.pool.hostAt(last).text("uuid"));
            lab.order("host", lab.pool.hostAt(lab.addresses.getFirst()), "kill");
            lab.server.faults().add(FaultKind.RESET, lab.addresses.get(1), "", "", 0);
            assertThatThrownBy(() -> connection.allRecords(HOST)).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> connection.allRecords(HOST))
                    .isInstanceOf(XapiException.Unreachable.class);
            lab.server.faults().clear();
            lab.order("host", lab.pool.hostAt(lab.addresses.get(1)), "promote");
            assertThat(connection.allRecords(HOST)).hasSize(2);
            assertThat(connection.poolUuid()).isEqualTo(lab.pool.itself().text("uuid"));
        }
    }

    @Test
    @DisplayName("X21 a certificate is pinned at first sight, and another one is refused")
    void pinning() throws Exception {
        try (Lab lab = new Lab("127.10.11", Era.TODAY, 1, 2, true)) {
            String address = lab.addresses.getFirst();
            lab.connect().session();
            String shown = lab.pool.objects("Certificate").getFirst().text("fingerprint_sha256");
            assertThat(lab.pins.pinned)
                    .containsEntry(
                            address, shown.replace(":", "").toLowerCase(java.util.Locale.ROOT));
            assertThat(lab.pins.ends.get(address)).isAfter(java.time.Instant.now());
            lab.server.close();
            lab.server = PoolServer.start(lab.pools, 0, true); // with another certificate
            PoolConnection second =
                    new PoolConnection(lab.access(address), lab.pins, new PoolClaims(), Lab.CLOCK);
            assertThatThrownBy(second::session).isInstanceOf(XapiException.Untrusted.class);
            assertThat(lab.pins.refused).containsKey(address);
            second.close();
        }
    }

    @Test
    @DisplayName("X21 a host without a common cipher is named as such")
    void noCommonCipher() throws Exception {
        SSLContext withoutKey = SSLContext.getInstance("TLS");
        withoutKey.init(null, null, null);
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (ServerSocket server =
                        withoutKey.getServerSocketFactory().createServerSocket(0, 1, loopback);
                PoolConnection connection =
                        new PoolConnection(
                                PoolAccess.of(
                                        List.of(loopback.getHostAddress()),
                                        server.getLocalPort(),
                                        "root",
                                        () -> "stillwater",
                                        "engine-1"),
                                new Lab.Pins(),
                                new PoolClaims(),
                                Lab.CLOCK)) {
            Thread serving =
                    Thread.ofVirtual()
                            .start(() -> {
                                try (SSLSocket socket = (SSLSocket) server.accept()) {
                                    socket.startHandshake();
                                } catch (IOException _) {
                                    // As expected.
                                }
                            });
            assertThatThrownBy(connection::session)
                    .isInstanceOf(XapiException.Untrusted.class)
                    .hasMessageContaining("no TLS version or cipher that this engine uses");
            serving.join();
        }
    }

    @Test
    @DisplayName("X22 two addresses of one pool are one connection; the second is refused")
    void samePoolTwice() throws Exception {
        try (Lab lab = Lab.today("127.10.12")) {
            lab.connect().session();
            PoolConnection second = lab.connect(lab.access(lab.addresses.get(1)));
            assertThatThrownBy(second::session)
                    .isInstanceOf(XapiException.Unreachable.class)
                    .hasMessageContaining("another connection watches");
            assertThat(lab.sessions()).isEqualTo(1);
        }
    }

    @Test
    @DisplayName(
            "X4, X24 a booting pool and a page instead of a reply are errors; later calls work")
    void booting() throws Exception {
        try (Lab lab = Lab.today("127.10.13")) {
            PoolConnection connection =
                    lab.connect(lab.access(lab.addresses.getFirst()).with(XapiEncoding.JSON_RPC));
            lab.order("boot");
            assertThatThrownBy(connection::session).hasMessageStartingWith("HOST_STILL_BOOTING");
            lab.order("booted");
            lab.server.faults().add(FaultKind.HTTP_STATUS, "", "host.get_all", "500", 1);
            assertThatThrownBy(() -> connection.allRecords(HOST))
                    .isInstanceOf(XapiException.Protocol.class);
            assertThat(connection.allRecords(HOST)).hasSize(3);
        }
    }

    @Test
    @DisplayName("X41, X42 an operation is started through its task; a refusal names the states")
    void operations() throws Exception {
        try (Lab lab = Lab.today("127.10.14")) {
            PoolConnection connection = lab.connect();
            Row halted = lab.vm("Halted");
            String task = connection.async("VM.start", halted.ref(), false, false);
            lab.pools.clock().advance(Duration.ofSeconds(3));
            XapiRecord done = connection.allRecords(XapiClass.of("task")).get(task);
            assertThat(done.text("status")).isEqualTo("success");
            assertThat(done.text("result")).isEqualTo("<value></value>");
            assertThatThrownBy(() ->
                            connection.call(
                                    "VM.start", List.of(halted.ref(), false, false), Decoder.VOID))
                    .isInstanceOfSatisfying(
                            XapiException.Failure.class,
                            failure ->
                                    assertThat(failure.parameters())
                                            .containsExactly(halted.ref(), "halted", "running"));
        }
    }
}
