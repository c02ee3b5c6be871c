package org.stillwater.fake.control;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.fake.net.Fault;
import org.stillwater.fake.net.FaultBoard;
import org.stillwater.fake.net.FaultSpec;
import org.stillwater.fake.net.HostTransport;
import org.stillwater.fake.relay.SimulatedRelays;
import org.stillwater.fake.world.Exit;
import org.stillwater.fake.world.MachineSpec;
import org.stillwater.fake.world.SimulatedHost;
import org.stillwater.fake.world.SimulatedVm;
import org.stillwater.fake.world.World;
import org.stillwater.fake.world.WorldException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The control port. Plain HTTP without authentication, so it belongs on the loopback address. Each
 * request runs on its own virtual thread.
 *
 * <p>It is long because it has a handler for each path.
 */
public final class ControlServer implements AutoCloseable {

    /** Scripts of 100 000 steps fit; more is a mistake. */
    private static final int LARGEST_BODY_BYTES = 16 << 20;

    private static final int MOST_VMS_AT_ONCE = 10_000;
    private static final Logger LOG = LoggerFactory.getLogger(ControlServer.class);
    private static final JsonMapper JSON = JsonMapper.builder().build();

    static {
        // Without it the JDK's server waits for the client's delayed ACK, 40 ms a request.
        if (System.getProperty("sun.net.httpserver.nodelay") == null) {
            System.setProperty("sun.net.httpserver.nodelay", "true");
        }
    }

    private final World world;
    private final @Nullable HostTransport transport;
    private final FaultBoard faults;
    private final @Nullable Path pki;
    private final Scenario scenario;
    private volatile @Nullable SimulatedRelays relays;
    private final HttpServer server;
    private final ExecutorService threads;

    private ControlServer(
            World world,
            @Nullable HostTransport transport,
            FaultBoard faults,
            @Nullable Path pki,
            InetSocketAddress bind)
            throws IOException {
        this.world = world;
        this.transport = transport;
        this.faults = faults;
        this.pki = pki;
        this.scenario = new Scenario(world);
        this.server = HttpServer.create(bind, 64);
        this.threads = Executors.newVirtualThreadPerTaskExecutor();
        server.setExecutor(threads);
        server.createContext("/", this::handle);
    }

    /**
     * Opens the control port.
     *
     * @param world the world to direct
     * @param transport for the metrics; {@code null} for a world without sockets
     * @param faults the board of the transport
     * @param pki folder with the engine's key and the CA; shown by {@code GET /hosts}
     * @param bind address and port; port 0 takes a free one
     */
    public static ControlServer start(
            World world,
            @Nullable HostTransport transport,
            FaultBoard faults,
            @Nullable Path pki,
            InetSocketAddress bind)
            throws IOException {
        ControlServer control = new ControlServer(world, transport, faults, pki, bind);
        control.server.start();
        return control;
    }

    /** From now on it directs these relays, too. */
    public void direct(SimulatedRelays added) {
        relays = added;
    }

    /** The address on which it listens. */
    public InetSocketAddress address() {
        return server.getAddress();
    }

    /**
     * Plays a script, as {@code POST /scenario} does.
     *
     * @param script {@code {"steps": [...]}} as JSON text
     * @return how many steps it has
     * @throws IllegalArgumentException if it is not right
     */
    public int play(String script) {
        try {
            return scenario.add(JSON.readTree(script));
        } catch (JacksonException e) {
            throw new IllegalArgumentException(
                    "the scenario is not JSON: " + e.getOriginalMessage(), e);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.close();
    }

    /** A refusal with its HTTP status. */
    private static final class Refusal extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final int status;

        Refusal(int status, String message) {
            super(message, null, false, false);
            this.status = status;
        }
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            try {
                route(exchange);
            } catch (Refusal e) {
                refuse(exchange, e.status, e);
            } catch (WorldException e) {
                refuse(
                        exchange,
                        switch (e.reason()) {
                            case UNKNOWN -> 404;
                            case CONFLICT, EXISTS -> 409;
                        },
                        e);
            } catch (IllegalArgumentException | JacksonException e) {
                refuse(exchange, 400, e);
            } catch (RuntimeException e) {
                LOG.warn("control request {} failed", exchange.getRequestURI(), e);
                refuse(exchange, 500, e);
            }
        }
    }

    private void route(HttpExchange exchange) throws IOException {
        String method = exchange.getRequestMethod();
        List<String> path =
                Arrays.stream(exchange.getRequestURI().getRawPath().split("/"))
                        .filter(part -> !part.isEmpty())
                        .map(part -> URLDecoder.decode(part, StandardCharsets.UTF_8))
                        .toList();
        String first = path.isEmpty() ? "" : path.getFirst();
        switch (first + "/" + path.size()) {
            case "/0" -> {
                only(method, "GET");
                send(exchange, 200, "text/plain; charset=utf-8", Help.text());
            }
            case "state/1" -> {
                only(method, "GET");
                state(exchange);
            }
            case "hosts/1" -> {
                only(method, "GET");
                send(exchange, 200, hosts());
            }
            case "hosts/2" -> {
                only(method, "GET");
                ObjectNode answer = JsonNodeFactory.instance.objectNode();
                describe(world.host(path.get(1)), answer);
                send(exchange, 200, answer);
            }
            case "hosts/3" -> {
                if (path.get(2).equals("power")) {
                    power(exchange, method, world.host(path.get(1)));
                    return;
                }
                only(method, "POST");
                host(exchange, world.host(path.get(1)), path.get(2));
            }
            case "vms/1" -> {
                only(method, "GET");
                send(exchange, 200, vms(query(exchange, "host")));
            }
            case "vms/2" -> {
                only(method, "GET");
                send(exchange, 200, "application/json", world.vm(path.get(1)).state());
            }
            case "vms/3" -> {
                only(method, "POST");
                SimulatedVm vm = world.vm(path.get(1));
                known(Actions.vmNames(), path.get(2));
                Actions.onVm(path.get(2), body(exchange)).accept(vm);
                send(exchange, 200, brief(vm));
            }
            case "relays/1" -> {
                only(method, "GET");
                send(exchange, 200, relays());
            }
            case "relays/3" -> {
                SimulatedRelays present = relays;
                if (present == null || !path.get(2).equals("end")) {
                    throw new Refusal(404, "no such path: " + exchange.getRequestURI());
                }
                only(method, "POST");
                present.end(path.get(1));
                send(exchange, 200, JsonNodeFactory.instance.objectNode());
            }
            case "scenario/1" -> scenario(exchange, method);
            case "faults/1" -> faults(exchange, method);
            case "faults/2" -> {
                only(method, "DELETE");
                if (!faults.remove(path.get(1))) {
                    throw new Refusal(404, "there is no fault '%s'".formatted(path.get(1)));
                }
                send(exchange, 200, JsonNodeFactory.instance.objectNode());
            }
            case "clock/1" -> {
                only(method, "GET");
                send(exchange, 200, clock());
            }
            case "clock/2" -> {
                if (!path.get(1).equals("advance")) {
                    throw new Refusal(404, "no such path: " + exchange.getRequestURI());
                }
                only(method, "POST");
                advance(exchange);
            }
            case "metrics/1" -> {
                only(method, "GET");
                send(
                        exchange,
                        200,
                        "text/plain; version=0.0.4; charset=utf-8",
                        Metrics.text(world, transport));
            }
            default ->
                    throw new Refusal(
                            404,
                            "no such path: %s; GET / lists all paths"
                                    .formatted(exchange.getRequestURI()));
        }
    }

    private void state(HttpExchange exchange) throws IOException {
        String host = query(exchange, "host");
        if (host != null) {
            SimulatedHost _ = world.host(host);
        }
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, 0);
        try (OutputStream out = new BufferedOutputStream(exchange.getResponseBody(), 1 << 16)) {
            world.writeState(out, host);
        }
    }

    private ObjectNode hosts() {
        ObjectNode all = JsonNodeFactory.instance.objectNode();
        all.put("pki", pki == null ? null : pki.toAbsolutePath().toString());
        ArrayNode list = all.putArray("hosts");
        for (SimulatedHost host : world.hosts()) {
            describe(host, list.addObject());
        }
        return all;
    }

    private static void describe(SimulatedHost host, ObjectNode entry) {
        entry.put("name", host.name());
        InetSocketAddress address = host.address();
        if (address != null) {
            entry.put(
                    "address",
                    address.getAddress() == null
                            ? address.getHostString()
                            : address.getAddress().getHostAddress());
            entry.put("port", address.getPort());
        }
        entry.put("condition", host.condition());
        entry.put("uuid", host.uuid());
        entry.put("vms", host.vmCount());
    }

    /** The commands of a fence agent: a state that is already reached is no error. */
    private void power(HttpExchange exchange, String method, SimulatedHost host)
            throws IOException {
        switch (method) {
            case "GET" -> {
                // A query: nothing to change.
            }
            case "POST" -> {
                Options options = new Options(body(exchange));
                String state = options.required("state");
                options.done();
                if (!state.equals("on") && !state.equals("off")) {
                    throw new IllegalArgumentException("'state' must be on or off, not " + state);
                }
                host.power(state.equals("on"));
            }
            default -> throw notAllowed(method, "GET and POST");
        }
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        answer.put("power", host.isPowered() ? "on" : "off");
        send(exchange, 200, answer);
    }

    private void host(HttpExchange exchange, SimulatedHost host, String action) throws IOException {
        if (action.equals("vms")) {
            create(exchange, host);
            return;
        }
        known(Actions.hostNames(), action);
        Actions.onHost(action, body(exchange)).accept(host);
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        answer.put("name", host.name());
        answer.put("condition", host.condition());
        send(exchange, 200, answer);
    }

    private void create(HttpExchange exchange, SimulatedHost host) throws IOException {
        Options options = new Options(body(exchange));
        int count = options.number("count", 1);
        MachineSpec spec = Actions.spec(options);
        Exit failure = Actions.failure(options);
        options.done();
        if (count < 1 || count > MOST_VMS_AT_ONCE) {
            throw new IllegalArgumentException(
                    "'count' must be 1 to %d".formatted(MOST_VMS_AT_ONCE));
        }
        if (count > 1 && (spec.id() != null || spec.name() != null)) {
            throw new IllegalArgumentException("only a single VM can have an 'id' or a 'name'");
        }
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        ArrayNode created = answer.putArray("vms");
        for (int i = 0; i < count; i++) {
            created.add(brief(host.create(spec, failure)));
        }
        send(exchange, 201, answer);
    }

    private ObjectNode relays() {
        ObjectNode all = JsonNodeFactory.instance.objectNode();
        ArrayNode list = all.putArray("relays");
        SimulatedRelays present = relays;
        if (present != null) {
            for (SimulatedRelays.Status status : present.statuses().join()) {
                list.addObject()
                        .put("name", status.name())
                        .put("hosts", status.hosts())
                        .put("trouble", status.trouble());
            }
        }
        return all;
    }

    private ObjectNode vms(@Nullable String hostName) {
        ObjectNode all = JsonNodeFactory.instance.objectNode();
        ArrayNode list = all.putArray("vms");
        for (SimulatedVm vm : world.vms()) {
            if (hostName == null || hostName.equals(vm.host())) {
                list.add(brief(vm));
            }
        }
        return all;
    }

    private static ObjectNode brief(SimulatedVm vm) {
        ObjectNode brief = JsonNodeFactory.instance.objectNode();
        brief.put("id", vm.id().toString());
        brief.put("name", vm.name());
        brief.put("host", vm.host());
        brief.put("status", vm.status());
        return brief;
    }

    private void scenario(HttpExchange exchange, String method) throws IOException {
        ObjectNode answer;
        switch (method) {
            case "POST" -> {
                int steps = scenario.add(body(exchange));
                answer = scenario.status();
                answer.put("planned", steps);
            }
            case "GET" -> answer = scenario.status();
            case "DELETE" -> {
                scenario.stop();
                answer = scenario.status();
            }
            default -> throw notAllowed(method, "GET, POST, DELETE");
        }
        send(exchange, 200, answer);
    }

    private void faults(HttpExchange exchange, String method) throws IOException {
        switch (method) {
            case "POST" -> {
                Fault added = faults.add(FaultSpec.fromJson(body(exchange)));
                send(exchange, 201, added.toJson());
            }
            case "GET" -> {
                ObjectNode all = JsonNodeFactory.instance.objectNode();
                ArrayNode list = all.putArray("faults");
                faults.list().forEach(fault -> list.add(fault.toJson()));
                send(exchange, 200, all);
            }
            case "DELETE" -> {
                faults.clear();
                send(exchange, 200, JsonNodeFactory.instance.objectNode());
            }
            default -> throw notAllowed(method, "GET, POST, DELETE");
        }
    }

    private ObjectNode clock() {
        ObjectNode clock = JsonNodeFactory.instance.objectNode();
        clock.put("time", world.clock().instant().toString());
        clock.put("virtualMillis", world.clock().millis());
        clock.put("speed", world.clock().speed());
        clock.put("manual", world.clock().isManual());
        clock.put("plannedSteps", world.plannedSteps());
        return clock;
    }

    private void advance(HttpExchange exchange) throws IOException {
        Options options = new Options(body(exchange));
        Duration by = options.duration("by");
        options.done();
        if (by == null) {
            throw new IllegalArgumentException(
                    "'by' is missing: seconds, or a duration such as \"PT1M30S\"");
        }
        world.advance(by);
        send(exchange, 200, clock());
    }

    private static JsonNode body(HttpExchange exchange) throws IOException {
        byte[] bytes = exchange.getRequestBody().readNBytes(LARGEST_BODY_BYTES + 1);
        if (bytes.length > LARGEST_BODY_BYTES) {
            throw new Refusal(
                    413, "the body is larger than %d bytes".formatted(LARGEST_BODY_BYTES));
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        return text.isBlank() ? JsonNodeFactory.instance.objectNode() : JSON.readTree(text);
    }

    private static @Nullable String query(HttpExchange exchange, String name) {
        String query = exchange.getRequestURI().getRawQuery();
        if (query == null) {
            return null;
        }
        for (String part : query.split("&")) {
            int equals = part.indexOf('=');
            if (equals > 0 && part.substring(0, equals).equals(name)) {
                return URLDecoder.decode(part.substring(equals + 1), StandardCharsets.UTF_8);
            }
        }
        return null;
    }

    private static void known(Iterable<String> names, String action) {
        List<String> all = new ArrayList<>();
        names.forEach(all::add);
        if (!all.contains(action)) {
            throw new Refusal(404, "there is no action '%s'; one of %s".formatted(action, all));
        }
    }

    private static void only(String method, String allowed) {
        if (!method.equals(allowed)) {
            throw notAllowed(method, allowed);
        }
    }

    private static Refusal notAllowed(String method, String allowed) {
        return new Refusal(405, "%s is not possible here; only %s".formatted(method, allowed));
    }

    private static void refuse(HttpExchange exchange, int status, Exception why) {
        ObjectNode error = JsonNodeFactory.instance.objectNode();
        String message =
                why instanceof JacksonException malformed
                        ? "the body is not JSON: " + malformed.getOriginalMessage()
                        : String.valueOf(why.getMessage());
        error.put("error", message);
        try {
            send(exchange, status, error);
        } catch (IOException e) {
            LOG.debug("the client of {} has gone", exchange.getRequestURI(), e);
        } catch (UncheckedIOException e) {
            LOG.debug("the answer to {} had begun already", exchange.getRequestURI(), e);
        }
    }

    private static void send(HttpExchange exchange, int status, JsonNode json) throws IOException {
        send(exchange, status, "application/json", JSON.writeValueAsString(json) + "\n");
    }

    private static void send(HttpExchange exchange, int status, String type, String text)
            throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
    }
}
