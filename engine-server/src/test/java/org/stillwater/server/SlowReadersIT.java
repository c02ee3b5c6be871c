package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.Principal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.http.HttpHeaders;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.security.web.FilterChainProxy;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.socket.CloseStatus;
import org.springframework.web.socket.TextMessage;
import org.springframework.web.socket.WebSocketExtension;
import org.springframework.web.socket.WebSocketMessage;
import org.springframework.web.socket.WebSocketSession;
import org.springframework.web.socket.handler.TextWebSocketHandler;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.PauseCause;
import org.stillwater.fake.world.SimulatedVm;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.server.security.AccessRecheck;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Readers of the stream that stop reading exactly when they are to: what is sent to them goes
 * through a valve in the place of a socket, so that no buffer of any system is between. Hosts are
 * polled only when a test says so.
 */
@Timeout(120)
class SlowReadersIT {

    private static final int HOSTS = 3;
    private static final int VMS = 60;
    private static final int KEPT = 512;
    private static final int POLLS = 12;

    private static final AtomicInteger NUMBER = new AtomicInteger();

    @TempDir static Path folder;
    private static TestDatabase database;
    private static SimulatedFleet fleet;
    private static RunningEngine engine;
    private static TextWebSocketHandler sockets;

    @BeforeAll
    static void start() throws Exception {
        database = TestDatabase.migrated();
        fleet = SimulatedFleet.start(folder, WorldSettings.of(11, HOSTS, VMS / HOSTS));
        engine =
                RunningEngine.start(
                        database,
                        fleet.engineArguments(),
                        "--stillwater.cycle.interval=1h",
                        "--stillwater.cycle.repoll-pause=0s",
                        "--stillwater.feed.kept=" + KEPT,
                        "--stillwater.stream.heart-beat=100ms",
                        "--stillwater.stream.snapshot-chunk=7",
                        "--stillwater.stream.first-message=30s");
        sockets = engine.bean(TextWebSocketHandler.class);
        engine.awaitHostsUp(HOSTS);
        RunningEngine.await(
                () -> {
                    engine.pollAll();
                    return engine.monitoring().fleet().vmCount() == VMS;
                },
                () -> "" + engine.monitoring().health());
        fleet.world().advance(Duration.ofSeconds(30));
        engine.pollAll();
        // A first request makes the dispatcher ready, which the readers of events ask directly.
        assertThat(engine.get("/api/v1/summary").statusCode()).isEqualTo(200);
    }

    @AfterAll
    static void stop() {
        engine.close();
        fleet.close();
        database.close();
    }

    /** Passes sent data on, or not. */
    static final class Valve {

        private boolean open = true;
        private boolean gone;
        private int waiting;

        synchronized void pass() throws IOException {
            waiting++;
            try {
                while (!open && !gone) {
                    wait();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException(e);
            } finally {
                waiting--;
            }
            if (gone) {
                throw new IOException("the reader went away");
            }
        }

        synchronized void set(boolean isOpen) {
            open = isOpen;
            notifyAll();
        }

        synchronized void leave() {
            gone = true;
            notifyAll();
        }

        synchronized boolean isGone() {
            return gone;
        }

        synchronized int waiting() {
            return waiting;
        }
    }

    /** The two ways to the stream. */
    enum Way {
        EVENTS {
            @Override
            Reader open(Map<String, String> wanted) {
                return new Events(wanted);
            }
        },
        SOCKET {
            @Override
            Reader open(Map<String, String> wanted) throws Exception {
                return new Socket(wanted);
            }
        };

        abstract Reader open(Map<String, String> wanted) throws Exception;
    }

    /** One of which the other end is this test. */
    abstract static class Reader implements AutoCloseable {

        final Valve valve = new Valve();

        /** The messages in order, each with its type. */
        abstract List<JsonNode> taken();

        final void shut() {
            valve.set(false);
        }

        final void reopen() {
            valve.set(true);
        }

        /** Until the engine waits for this reader. */
        final void awaitBlocked() {
            RunningEngine.await(() -> valve.waiting() == 1, () -> "nothing is sent");
        }

        final List<JsonNode> taken(String type) {
            return taken().stream().filter(each -> type(each).equals(type)).toList();
        }

        final void awaitSnapshots(int count) {
            RunningEngine.await(
                    () -> taken("snapshot-end").size() == count, () -> "no snapshot: " + taken());
        }

        /** Revisions of changes after this one, in the order of arrival. */
        final List<Long> after(long revision) {
            return taken("delta").stream()
                    .map(each -> each.path("revision").asLong())
                    .filter(each -> each > revision)
                    .toList();
        }

        /** Statuses of a VM in the order of arrival. */
        final List<String> statuses(SimulatedVm vm) {
            return taken("delta").stream()
                    .filter(each -> each.path("id").asString().equals(vm.id().toString()))
                    .filter(each -> each.path("vm").has("status"))
                    .map(each -> each.path("vm").path("status").asString())
                    .toList();
        }

        /** The user logged in to each VM, after all messages. */
        final Map<String, String> users() {
            Map<String, String> users = new HashMap<>();
            for (JsonNode message : taken()) {
                message.path("vms").forEach(vm -> put(users, vm.path("id").asString(), vm));
                if (type(message).equals("delta")) {
                    put(users, message.path("id").asString(), message.path("vm"));
                }
            }
            return users;
        }

        @Override
        public abstract void close() throws IOException;
    }

    private static void put(Map<String, String> users, String id, JsonNode vm) {
        if (vm.has("guestUser")) {
            users.put(id, vm.path("guestUser").asString(""));
        }
    }

    private static String type(JsonNode message) {
        return message.path("type").asString();
    }

    /** A socket. */
    static final class Socket extends Reader implements WebSocketSession {

        private final String id = "slow-" + NUMBER.incrementAndGet();
        private final AccessRecheck standing = () -> Caller.withRole("reader", Role.READER);
        private final Map<String, Object> attributes =
                new ConcurrentHashMap<>(Map.of("stillwater.standing", standing));
        private final List<JsonNode> taken = new CopyOnWriteArrayList<>();
        private volatile @Nullable CloseStatus closed;

        Socket(Map<String, String> wanted) throws Exception {
            ObjectNode subscription = RunningEngine.JSON.createObjectNode();
            subscription.put("type", "subscribe");
            wanted.forEach(subscription::put);
            sockets.afterConnectionEstablished(this);
            sockets.handleMessage(this, new TextMessage(subscription.toString()));
        }

        @Override
        List<JsonNode> taken() {
            return taken;
        }

        @Override
        public void sendMessage(WebSocketMessage<?> message) throws IOException {
            valve.pass();
            taken.add(RunningEngine.JSON.readTree((String) message.getPayload()));
        }

        @Override
        public void close(CloseStatus status) {
            closed = status;
        }

        @Override
        public void close() throws IOException {
            valve.leave();
            try {
                sockets.afterConnectionClosed(this, CloseStatus.NORMAL);
            } catch (Exception e) {
                throw new IOException(e);
            }
        }

        @Override
        public boolean isOpen() {
            return closed == null;
        }

        @Override
        public String getId() {
            return id;
        }

        @Override
        public Map<String, Object> getAttributes() {
            return attributes;
        }

        @Override
        public @Nullable URI getUri() {
            return null;
        }

        @Override
        public HttpHeaders getHandshakeHeaders() {
            return new HttpHeaders();
        }

        @Override
        public @Nullable Principal getPrincipal() {
            return null;
        }

        @Override
        public @Nullable InetSocketAddress getLocalAddress() {
            return null;
        }

        @Override
        public @Nullable InetSocketAddress getRemoteAddress() {
            return null;
        }

        @Override
        public @Nullable String getAcceptedProtocol() {
            return null;
        }

        @Override
        public void setTextMessageSizeLimit(int bytes) {}

        @Override
        public int getTextMessageSizeLimit() {
            return 0;
        }

        @Override
        public void setBinaryMessageSizeLimit(int bytes) {}

        @Override
        public int getBinaryMessageSizeLimit() {
            return 0;
        }

        @Override
        public List<WebSocketExtension> getExtensions() {
            return List.of();
        }
    }

    /** A stream of events. */
    static final class Events extends Reader {

        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final Thread thread;
        private volatile @Nullable Exception failure;

        Events(Map<String, String> wanted) {
            MockHttpServletRequest request =
                    new MockHttpServletRequest(
                            engine.bean(ServletContext.class), "GET", "/api/v1/stream");
            wanted.forEach(request::setParameter);
            MockHttpServletResponse response =
                    new MockHttpServletResponse() {
                        @Override
                        public ServletOutputStream getOutputStream() {
                            return new Gated();
                        }
                    };
            FilterChainProxy security = engine.bean(FilterChainProxy.class);
            DispatcherServlet servlet = engine.bean(DispatcherServlet.class);
            thread =
                    Thread.ofVirtual()
                            .start(() -> {
                                try {
                                    security.doFilter(request, response, servlet::service);
                                } catch (Exception e) {
                                    if (!valve.isGone()) {
                                        failure = e;
                                    }
                                }
                            });
        }

        private final class Gated extends ServletOutputStream {
            @Override
            public void write(int one) throws IOException {
                write(new byte[] {(byte) one}, 0, 1);
            }

            @Override
            public void write(byte[] from, int offset, int length) throws IOException {
                valve.pass();
                synchronized (bytes) {
                    bytes.write(from, offset, length);
                }
            }

            @Override
            public boolean isReady() {
                return true;
            }

            @Override
            public void setWriteListener(WriteListener listener) {
                throw new UnsupportedOperationException("the engine blocks");
            }
        }

        @Override
        List<JsonNode> taken() {
            String text;
            synchronized (bytes) {
                text = bytes.toString(StandardCharsets.UTF_8);
            }
            List<JsonNode> events = new ArrayList<>();
            // Text after the last empty line is not complete.
            String whole = text.substring(0, text.lastIndexOf("\n\n") + 1);
            for (String event : whole.split("\n\n")) {
                int data = event.indexOf("\ndata: ");
                if (event.startsWith("event: ") && data > 0) {
                    ObjectNode message =
                            (ObjectNode) RunningEngine.JSON.readTree(event.substring(data + 7));
                    message.put("type", event.substring(7, event.indexOf('\n')));
                    events.add(message);
                }
            }
            return events;
        }

        int comments() {
            synchronized (bytes) {
                return bytes.toString(StandardCharsets.UTF_8).split("\n:\n", -1).length;
            }
        }

        @Override
        public void close() {
            valve.leave();
            RunningEngine.await(() -> !thread.isAlive(), () -> "the stream goes on");
            assertThat(failure).as("while the reader was there").isNull();
        }
    }

    private static List<SimulatedVm> withAgents() {
        return Truth.running(RunningEngine.JSON.readTree(fleet.world().state())).values().stream()
                .filter(vm -> vm.path("guest").path("agent").asString().equals("active"))
                .map(vm -> fleet.world().vm(vm.path("id").asString()))
                .toList();
    }

    /** Changes every running VM. */
    private static void churn(String user) {
        withAgents().forEach(vm -> vm.logIn(user));
        fleet.world().advance(Duration.ofSeconds(1));
        engine.pollAll();
    }

    /** More changes than the feed keeps. */
    private static void fallBehind(long from, String user) {
        for (int round = 0; engine.monitoring().fleet().revision() - from <= KEPT + VMS; round++) {
            assertThat(round).as("rounds, still within what is kept").isLessThan(200);
            churn(user + round);
        }
    }

    private static Map<String, String> present() {
        Map<String, String> users = new HashMap<>();
        engine.json("/api/v1/vms?limit=1000&fields=id,guestUser")
                .path("items")
                .forEach(vm -> put(users, vm.path("id").asString(), vm));
        return users;
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a slow reader gets every change in order, and the newest numbers only")
    void numbersAreConflatedAndChangesAreNot(Way way) throws Exception {
        Map<String, String> wanted =
                Map.of(
                        "entity", "vm",
                        "statistics", "true",
                        "fields", "name,status,statistics.cpu");
        SimulatedVm vm = withAgents().getFirst();
        try (Reader slow = way.open(wanted);
                Reader fast = way.open(wanted)) {
            slow.awaitSnapshots(1);
            fast.awaitSnapshots(1);
            long from = engine.monitoring().fleet().revision();
            slow.shut();
            List<String> happened = new ArrayList<>();
            long polled = 0;
            for (int poll = 0; poll < POLLS; poll++) {
                boolean pauses = poll % 2 == 0;
                if (pauses) {
                    vm.pause(PauseCause.USER);
                } else {
                    vm.resume();
                }
                happened.add(pauses ? "paused" : "up");
                RunningEngine.await(
                        () -> fast.statuses(vm).equals(happened),
                        () -> fast.statuses(vm) + " instead of " + happened);
                fleet.world().advance(Duration.ofSeconds(1));
                polled = engine.monitoring().fleet().generation().statistics();
                engine.pollAll();
            }
            slow.awaitBlocked();
            assertThat(engine.monitoring().fleet().revision() - from).isLessThan(KEPT);
            assertThat(slow.statuses(vm)).as("told while it does not read").isEmpty();
            int before = slow.taken("statistics").size();
            RunningEngine.await(
                    () -> fast.taken("statistics").size() >= 2 * HOSTS, () -> "no numbers");
            slow.reopen();
            RunningEngine.await(
                    () -> slow.after(from).size() >= fast.after(from).size(),
                    () -> slow.after(from) + " of " + fast.after(from));
            assertThat(slow.statuses(vm)).isEqualTo(happened);
            assertThat(slow.after(from)).isEqualTo(fast.after(from)).isSorted();
            // Messages under way come first, and are not the newest.
            Map<String, String> newest = newest();
            assertThat(newest).isNotEmpty();
            RunningEngine.await(
                    () -> told(slow.taken("statistics")).equals(newest),
                    () -> told(slow.taken("statistics")) + " instead of " + newest);
            // The last polls may be told of one by one: they may end after it reads again.
            long last = engine.monitoring().fleet().generation().statistics() - polled;
            assertThat(slow.taken("statistics").size() - before)
                    .as(
                            "of %d polls: one for each host, what was under way, the last",
                            POLLS * HOSTS)
                    .isLessThanOrEqualTo(2 * HOSTS + (int) last)
                    .isLessThan(POLLS * HOSTS / 2);
        }
    }

    /** The last numbers of each VM. */
    private static Map<String, String> told(List<JsonNode> statistics) {
        Map<String, String> told = new HashMap<>();
        for (JsonNode message : statistics) {
            message.path("vms")
                    .forEach(vm -> told.put(vm.path("id").asString(), vm.path("cpu").toString()));
        }
        return told;
    }

    /** The numbers that the engine has of each VM. */
    private static Map<String, String> newest() {
        Map<String, String> newest = new HashMap<>();
        engine.json("/api/v1/vms?limit=1000&fields=id,statistics.cpu")
                .path("items")
                .forEach(vm ->
                        newest.put(
                                vm.path("id").asString(),
                                vm.path("statistics").path("cpu").toString()));
        return newest;
    }

    @Test
    @DisplayName("only a socket that falls behind the kept changes is closed with 4008")
    void aSocketThatFallsBehindIsClosed() throws Exception {
        double lagged = engine.count("stillwater.stream.lagged");
        Map<String, String> wanted = Map.of("entity", "vm");
        long seen;
        try (Socket slow = new Socket(wanted);
                Socket fast = new Socket(wanted)) {
            slow.awaitSnapshots(1);
            fast.awaitSnapshots(1);
            long from = engine.monitoring().fleet().revision();
            slow.shut();
            fallBehind(from, "socket-");
            slow.awaitBlocked();
            RunningEngine.await(() -> fast.users().equals(present()), () -> "" + fast.users());
            assertThat(fast.after(from)).hasSizeGreaterThan(KEPT / 2).isSorted();
            slow.reopen();
            RunningEngine.await(() -> slow.closed != null, () -> "not closed: " + slow.taken);
            assertThat(slow.closed)
                    .isNotNull()
                    .satisfies(status -> {
                        assertThat(status.getCode()).isEqualTo(4008);
                        assertThat(status.getReason()).contains("too slow");
                    });
            assertThat(engine.count("stillwater.stream.lagged")).isEqualTo(lagged + 1);
            List<Long> told = slow.after(from);
            assertThat(told).isSorted().doesNotHaveDuplicates();
            assertThat(told.size()).as("nothing waited for it but what is kept").isLessThan(KEPT);
            assertThat(fast.closed).isNull();
            assertThat(fast.taken("snapshot-end")).hasSize(1);
            seen = told.isEmpty() ? from : told.getLast();
        }
        try (Socket again = new Socket(Map.of("entity", "vm", "since", "" + seen))) {
            again.awaitSnapshots(1);
            assertThat(again.users()).hasSize(VMS).isEqualTo(present());
        }
    }

    @Test
    @DisplayName("an event stream that falls behind gets a new snapshot on the same connection")
    void anEventStreamThatFallsBehindGetsASnapshot() throws Exception {
        double lagged = engine.count("stillwater.stream.lagged");
        Map<String, String> wanted = Map.of("entity", "vm");
        try (Events slow = new Events(wanted);
                Events fast = new Events(wanted)) {
            slow.awaitSnapshots(1);
            fast.awaitSnapshots(1);
            long from = engine.monitoring().fleet().revision();
            slow.shut();
            fallBehind(from, "events-");
            slow.awaitBlocked();
            RunningEngine.await(() -> fast.users().equals(present()), () -> "" + fast.users());
            assertThat(slow.taken("snapshot-end")).hasSize(1);
            slow.reopen();
            slow.awaitSnapshots(2);
            assertThat(engine.count("stillwater.stream.lagged")).isEqualTo(lagged + 1);
            assertThat(slow.users()).hasSize(VMS).isEqualTo(present());
            String last = "after-" + NUMBER.incrementAndGet();
            churn(last);
            RunningEngine.await(
                    () -> slow.users().containsValue(last) && slow.users().equals(present()),
                    () -> "" + slow.users());
            assertThat(fast.taken("snapshot-end")).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("readers of one subscription share their messages, though one of them is slow")
    void sharedMessagesAreWrittenOnce(Way way) throws Exception {
        // Readers of an earlier test that are closing would have their changes written, too.
        RunningEngine.await(
                () -> engine.gauge("stillwater.stream.subscribers") == 0,
                () -> "subscribers: " + engine.gauge("stillwater.stream.subscribers"));
        Map<String, String> wanted = Map.of("entity", "vm");
        Map<String, String> spaced = Map.of("entity", "vm", "spacing", "40");
        List<Reader> readers = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                readers.add(way.open(i % 2 == 0 ? wanted : spaced));
            }
            readers.forEach(reader -> reader.awaitSnapshots(1));
            // Changes while readers begin at different revisions are written more than once.
            churn("settled-" + NUMBER.incrementAndGet());
            for (Reader reader : readers) {
                RunningEngine.await(() -> reader.users().equals(present()), () -> "settling");
            }
            Reader slow = readers.getLast();
            long from = engine.monitoring().fleet().revision();
            double before = encodings();
            slow.shut();
            churn("shared-" + NUMBER.incrementAndGet());
            slow.awaitBlocked();
            slow.reopen();
            for (Reader reader : readers) {
                RunningEngine.await(() -> reader.users().equals(present()), () -> "" + from);
                assertThat(reader.after(from)).isEqualTo(readers.getFirst().after(from));
            }
            assertThat(encodings() - before)
                    .as("once for each change, not for each reader of it")
                    .isPositive()
                    .isLessThanOrEqualTo((double) engine.monitoring().fleet().revision() - from);
        } finally {
            for (Reader reader : readers) {
                reader.close();
            }
        }
    }

    private static double encodings() {
        return engine.functionCount("stillwater.stream.encodings");
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a reader without changes gets heart-beats")
    void aReaderOfSomethingElseHasHeartBeats(Way way) throws Exception {
        SimulatedVm quiet = withAgents().getLast();
        try (Reader reader = way.open(Map.of("entity", "vm", "fields", "name"))) {
            reader.awaitSnapshots(1);
            int before = beats(reader);
            for (int round = 0; beats(reader) < before + 3; round++) {
                assertThat(round).as("changes").isLessThan(2_000);
                quiet.logIn("beat-" + round);
                fleet.world().advance(Duration.ofSeconds(1));
                engine.pollAll();
            }
        }
    }

    private static int beats(Reader reader) {
        return reader instanceof Events events
                ? events.comments()
                : reader.taken("heartbeat").size();
    }
}
