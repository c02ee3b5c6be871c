package org.stillwater.fake.net;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ovirt.vdsm.jsonrpc.client.ClientConnectionException;
import org.ovirt.vdsm.jsonrpc.client.JsonRpcClient;
import org.ovirt.vdsm.jsonrpc.client.JsonRpcResponse;
import org.ovirt.vdsm.jsonrpc.client.RequestBuilder;
import org.ovirt.vdsm.jsonrpc.client.events.EventSubscriber;
import org.ovirt.vdsm.jsonrpc.client.internal.ClientPolicy;
import org.ovirt.vdsm.jsonrpc.client.internal.ResponseWorker;
import org.ovirt.vdsm.jsonrpc.client.reactors.ManagerProvider;
import org.ovirt.vdsm.jsonrpc.client.reactors.Reactor;
import org.ovirt.vdsm.jsonrpc.client.reactors.ReactorClient;
import org.ovirt.vdsm.jsonrpc.client.reactors.ReactorFactory;
import org.ovirt.vdsm.jsonrpc.client.reactors.ReactorType;
import org.ovirt.vdsm.jsonrpc.client.reactors.stomp.StompClientPolicy;
import org.stillwater.fake.pki.KeyStores;
import org.stillwater.fake.pki.PkiDirectory;
import org.stillwater.fake.world.MigrationOrder;
import org.stillwater.fake.world.PauseCause;
import org.stillwater.fake.world.SimulationClock;
import org.stillwater.fake.world.World;
import org.stillwater.fake.world.WorldSettings;

/**
 * The client library that ovirt-engine uses, against the simulator: an independent implementation
 * connects with mutual TLS, subscribes, calls every verb and receives events.
 */
@DisplayName("The client library of ovirt-engine against fake hosts")
class VdsmClientInteropIT {

    private static final char[] PASSWORD = "secret".toCharArray();

    /** Well below the time a test may take: messages that the library loses are requested again. */
    private static final int TIMEOUT_MILLIS = 5_000;

    private static final int CONNECTION_ATTEMPTS = 5;
    private static final int HEART_BEAT_MILLIS = 30_000;

    @TempDir static Path folder;

    private static final BlockingQueue<Event> events = new LinkedBlockingQueue<>();

    // The library keeps one of each for the whole process.
    private static PkiDirectory pki;
    private static Managers managers;
    private static Reactor reactor;
    private static ResponseWorker worker;

    private World world;
    private HostServer server;
    private ReactorClient connection;
    private JsonRpcClient client;

    /** An event, and the kind its subscription asked for. */
    private record Event(String kind, Map<String, Object> content) {}

    @BeforeAll
    static void start() throws Exception {
        pki = PkiDirectory.open(folder, InstantSource.system().instant(), PASSWORD);
        managers = new Managers(pki);
        reactor = ReactorFactory.getReactor(managers, ReactorType.STOMP);
        worker = ReactorFactory.getWorker(2);
        worker.getPublisher().subscribe(new Collector("*|virt|VM_status|*"));
        worker.getPublisher().subscribe(new Collector("*|virt|VM_migration_status|*"));
        worker.getPublisher().subscribe(new Collector("*|net|host_conn|*"));
    }

    @AfterAll
    static void stop() {
        worker.close();
        reactor.close();
    }

    @BeforeEach
    void connect() throws Exception {
        events.clear();
        world = World.create(WorldSettings.of(7, 2, 30), SimulationClock.manual());
        server = HostServer.create(TransportSettings.DEFAULT, pki);
        InetAddress loopback = InetAddress.getLoopbackAddress();
        world.start(server, _ -> new InetSocketAddress(loopback, 0));
        InetSocketAddress first = server.hosts().getFirst().address();

        connect(first.getPort());
    }

    /**
     * Makes a client whose connection is up. The library gives a TLS handshake half a second. On a
     * busy machine that is too short, and its reactor then wraps a farewell for ever that waits for
     * the handshake: the TLS engine is closed for it, and a new client made.
     */
    private void connect(int port) throws Exception {
        for (int attempt = 1; !opened(port); attempt++) {
            assertThat(attempt).as("attempts to connect").isLessThan(CONNECTION_ATTEMPTS);
        }
    }

    private boolean opened(int port) throws Exception {
        open(port);
        if (answersPing()) {
            return true;
        }
        client.close();
        return false;
    }

    private void open(int port) throws Exception {
        connection = reactor.createClient("127.0.0.1", port);
        StompClientPolicy policy =
                new StompClientPolicy(
                        TIMEOUT_MILLIS,
                        0,
                        HEART_BEAT_MILLIS,
                        "jms.topic.vdsm_requests",
                        "jms.topic.vdsm_responses");
        policy.setEventQueue("jms.queue.events");
        connection.setClientPolicy(policy);
        client = worker.register(connection);
        client.setRetryPolicy(new ClientPolicy(TIMEOUT_MILLIS, 0, HEART_BEAT_MILLIS));
    }

    @AfterEach
    void close() {
        client.close();
        world.close();
        server.close();
    }

    private JsonRpcResponse call(RequestBuilder request) throws Exception {
        return client.call(request.build()).get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
    }

    private JsonNode result(RequestBuilder request) throws Exception {
        JsonRpcResponse response = call(request);
        assertThat(response.getError()).isNull();
        return response.getResult();
    }

    private JsonNode result(String verb) throws Exception {
        return result(new RequestBuilder(verb));
    }

    private String anyVm() throws Exception {
        return result("Host.getAllVmStats").get(0).get("vmId").asText();
    }

    /** The next event of this kind from a host: {@code VM_status}, {@code host_conn}… */
    private static Map<String, Object> event(String kind) throws InterruptedException {
        while (true) {
            Event event = events.poll(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
            assertThat(event).as("an event %s", kind).isNotNull();
            if (kind.equals(event.kind()) && event.content().containsKey("notify_time")) {
                return event.content();
            }
        }
    }

    @Test
    @DisplayName("calls every verb a monitoring engine needs")
    void callsEveryVerb() throws Exception {
        JsonNode capabilities = result("Host.getCapabilities");
        assertThat(capabilities.get("software_version").asText()).isEqualTo("4.50.7");
        assertThat(capabilities.get("networks").size()).isPositive();

        JsonNode hardware = result("Host.getHardwareInfo");
        assertThat(hardware.get("systemUUID").asText())
                .isEqualTo(capabilities.get("uuid").asText());

        JsonNode stats = result("Host.getStats");
        assertThat(stats.get("vmCount").asInt()).isEqualTo(30);
        assertThat(stats.get("memFree").isInt()).isTrue();

        JsonNode vms = result("Host.getAllVmStats");
        assertThat(vms).hasSize(30);
        String vm = vms.get(0).get("vmId").asText();

        JsonNode xmls =
                result(
                        new RequestBuilder("Host.dumpxmls")
                                .withOptionalParameterAsList("vmList", List.of(vm)));
        assertThat(xmls.get(vm).asText()).contains("<uuid>" + vm + "</uuid>");

        assertThat(result("Host.ping2").asBoolean()).isTrue();
        assertThat(result(new RequestBuilder("VM.getStats").withParameter("vmID", vm))).hasSize(1);
    }

    @Test
    @DisplayName("destroys a VM that crashed, once")
    void destroys() throws Exception {
        String vm = anyVm();
        world.vm(vm).crash();
        Object told = event("VM_status").get(vm);
        assertThat(told).isInstanceOf(Map.class);
        assertThat(((Map<?, ?>) told).get("status")).isEqualTo("Down");

        RequestBuilder destroy = new RequestBuilder("VM.destroy").withParameter("vmID", vm);
        assertThat(result(destroy).asBoolean()).isTrue();
        JsonRpcResponse again = call(new RequestBuilder("VM.destroy").withParameter("vmID", vm));
        assertThat(again.getError().get("code").asInt()).isEqualTo(1);
        assertThat(again.getError().get("message").asText()).contains(vm);
    }

    @Test
    @DisplayName("receives status, migration and network events")
    void receivesEvents() throws Exception {
        String vm = anyVm();
        world.vm(vm).pause(PauseCause.EIO);
        Map<?, ?> paused = (Map<?, ?>) event("VM_status").get(vm);
        assertThat(paused.get("status")).isEqualTo("Paused");
        assertThat(paused.get("pauseCode")).isEqualTo("EOTHER");
        world.vm(vm).resume();
        assertThat(((Map<?, ?>) event("VM_status").get(vm)).get("status")).isEqualTo("Up");

        world.vm(vm).migrate(MigrationOrder.to(world.hosts().getLast().name()));
        world.advance(Duration.ofMinutes(1));
        Map<?, ?> progress = (Map<?, ?>) event("VM_migration_status").get(vm);
        assertThat(progress.containsKey("progress")).isTrue();

        world.hosts().getFirst().announceNetworkChange();
        assertThat(event("host_conn")).hasSize(1);
    }

    @Test
    @DisplayName("sees error codes, and survives an unknown verb")
    void seesErrors() throws Exception {
        JsonRpcResponse unknown = call(new RequestBuilder("Host.noSuchVerb"));
        assertThat(unknown.getError().get("code").asInt()).isEqualTo(-32601);
        JsonRpcResponse absent =
                call(
                        new RequestBuilder("VM.getStats")
                                .withParameter("vmID", UUID.randomUUID().toString()));
        assertThat(absent.getError().get("code").asInt()).isEqualTo(1);
        assertThat(result("Host.ping").asBoolean()).isTrue();
    }

    @Test
    @DisplayName("connects again after the connection was reset")
    void reconnects() throws Exception {
        long before = server.metrics().accepted();
        server.dropConnections(server.hosts().getFirst().host(), HostTransport.Drop.RST);
        int attempts = 0;
        while (!answersPing()) {
            attempts++;
            assertThat(attempts).isLessThan(100);
        }
        assertThat(server.metrics().accepted()).isGreaterThan(before);
    }

    /** Calls made while a connection is made or lost fail in one of several ways. */
    private boolean answersPing() throws Exception {
        try {
            JsonNode error = call(new RequestBuilder("Host.ping")).getError();
            if (error == null) {
                return true;
            }
            System.err.println("no connection: " + error);
        } catch (ClientConnectionException | IllegalStateException | TimeoutException e) {
            System.err.println("no connection: " + e);
        }
        managers.closeEngines();
        awaitClosed();
        return false;
    }

    /** The library closes on a thread of its own: a call before that would be closed with it. */
    private void awaitClosed() {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MILLIS);
        while (connection.isOpen() && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
    }

    /** Takes the events of one subscription. */
    private static final class Collector extends EventSubscriber {
        private final String kind;
        private Flow.Subscription subscription;

        Collector(String subscriptionId) {
            super(subscriptionId);
            this.kind = subscriptionId.split("\\|")[2];
        }

        @Override
        public void onSubscribe(Flow.Subscription given) {
            subscription = given;
            subscription.request(1);
        }

        @Override
        public void onNext(Map<String, Object> event) {
            events.add(new Event(kind, event));
            subscription.request(1);
        }

        @Override
        public void onError(Throwable failure) {
            throw new AssertionError(failure);
        }

        @Override
        public void onComplete() {
            subscription = null;
        }
    }

    /** The engine's identity, and trust in the CA. */
    private static final class Managers extends ManagerProvider {
        private final PkiDirectory pki;
        private final Queue<SSLEngine> engines = new ConcurrentLinkedQueue<>();

        Managers(PkiDirectory pki) {
            this.pki = pki;
        }

        @Override
        public TrustManager[] getTrustManagers() throws GeneralSecurityException {
            TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(KeyStores.trusting(pki.authority().certificate()));
            return trust.getTrustManagers();
        }

        @Override
        public KeyManager[] getKeyManagers() throws GeneralSecurityException {
            KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
            keys.init(pki.engine().keyStoreForThisProcess(PASSWORD), PASSWORD);
            return keys.getKeyManagers();
        }

        @Override
        public SSLContext getSSLContext() throws GeneralSecurityException {
            SSLContext context = SSLContext.getInstance("TLSv1.2");
            context.init(getKeyManagers(), getTrustManagers(), null);
            return new RememberingContext(context, engines);
        }

        /** Ends a connection that the library would wrap without end. */
        void closeEngines() {
            for (SSLEngine engine; (engine = engines.poll()) != null; ) {
                engine.closeOutbound();
            }
        }
    }

    /** A TLS context that remembers the engines made with it. */
    private static final class RememberingContext extends SSLContext {
        RememberingContext(SSLContext real, Queue<SSLEngine> made) {
            super(new Remembering(real, made), real.getProvider(), real.getProtocol());
        }
    }

    private static final class Remembering extends SSLContextSpi {
        private final SSLContext real;
        private final Queue<SSLEngine> made;

        Remembering(SSLContext real, Queue<SSLEngine> made) {
            this.real = real;
            this.made = made;
        }

        private SSLEngine remembered(SSLEngine engine) {
            made.add(engine);
            return engine;
        }

        @Override
        protected void engineInit(KeyManager[] keys, TrustManager[] trust, SecureRandom random) {
            throw new IllegalStateException("the context is initialised already");
        }

        @Override
        protected SSLEngine engineCreateSSLEngine() {
            return remembered(real.createSSLEngine());
        }

        @Override
        protected SSLEngine engineCreateSSLEngine(String host, int port) {
            return remembered(real.createSSLEngine(host, port));
        }

        @Override
        protected SSLSocketFactory engineGetSocketFactory() {
            return real.getSocketFactory();
        }

        @Override
        protected SSLServerSocketFactory engineGetServerSocketFactory() {
            return real.getServerSocketFactory();
        }

        @Override
        protected SSLSessionContext engineGetServerSessionContext() {
            return real.getServerSessionContext();
        }

        @Override
        protected SSLSessionContext engineGetClientSessionContext() {
            return real.getClientSessionContext();
        }
    }
}
