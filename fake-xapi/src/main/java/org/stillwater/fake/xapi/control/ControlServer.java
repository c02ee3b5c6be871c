package org.stillwater.fake.xapi.control;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.fake.xapi.net.FaultKind;
import org.stillwater.fake.xapi.net.Faults;
import org.stillwater.fake.xapi.net.PoolServer;
import org.stillwater.fake.xapi.world.Orders;
import org.stillwater.fake.xapi.world.Pool;
import org.stillwater.fake.xapi.world.Pools;
import org.stillwater.fake.xapi.world.XapiError;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The control port. Plain HTTP without authentication, so it belongs on the loopback address. Each
 * request runs on its own virtual thread.
 */
public final class ControlServer implements AutoCloseable {

    private static final int LARGEST_BODY_BYTES = 1 << 20;
    private static final Logger LOG = LoggerFactory.getLogger(ControlServer.class);
    private static final JsonMapper JSON = JsonMapper.builder().build();

    static {
        // Without it the JDK's server waits for the client's delayed ACK, 40 ms a request.
        if (System.getProperty("sun.net.httpserver.nodelay") == null) {
            System.setProperty("sun.net.httpserver.nodelay", "true");
        }
    }

    private final Pools pools;
    private final PoolServer wire;
    private final HttpServer server;
    private final ExecutorService threads;

    private ControlServer(Pools pools, PoolServer wire, InetSocketAddress bind) throws IOException {
        this.pools = pools;
        this.wire = wire;
        this.server = HttpServer.create(bind, 64);
        this.threads = Executors.newVirtualThreadPerTaskExecutor();
        server.setExecutor(threads);
        server.createContext("/", this::handle);
    }

    /**
     * Opens the control port.
     *
     * @param bind address and port; port 0 takes a free one
     */
    public static ControlServer start(Pools pools, PoolServer wire, InetSocketAddress bind)
            throws IOException {
        ControlServer control = new ControlServer(pools, wire, bind);
        control.server.start();
        return control;
    }

    /** The address on which it listens. */
    public InetSocketAddress address() {
        return server.getAddress();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.close();
    }

    /** No such path. */
    private static final class Unknown extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Unknown(String message) {
            super(message, null, false, false);
        }
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            try {
                send(exchange, 200, answer(exchange));
            } catch (Unknown e) {
                refuse(exchange, 404, e);
            } catch (XapiError e) {
                refuse(exchange, e.description().getFirst().equals("UUID_INVALID") ? 404 : 409, e);
            } catch (IllegalArgumentException | IllegalStateException | JacksonException e) {
                refuse(exchange, 400, e);
            } catch (RuntimeException e) {
                LOG.warn("control request {} failed", exchange.getRequestURI(), e);
                refuse(exchange, 500, e);
            }
        }
    }

    private static void refuse(HttpExchange exchange, int status, RuntimeException e)
            throws IOException {
        send(exchange, status, Map.of("error", String.valueOf(e.getMessage())));
    }

    private static void send(HttpExchange exchange, int status, Object body) throws IOException {
        byte[] bytes =
                body instanceof String text
                        ? text.getBytes(StandardCharsets.UTF_8)
                        : JSON.writeValueAsBytes(body);
        exchange.getResponseHeaders()
                .set(
                        "Content-Type",
                        body instanceof String ? "text/plain; charset=utf-8" : "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private Object answer(HttpExchange exchange) throws IOException {
        List<String> path =
                Arrays.stream(exchange.getRequestURI().getPath().split("/"))
                        .filter(part -> !part.isEmpty())
                        .toList();
        String what = exchange.getRequestMethod() + " " + (path.isEmpty() ? "" : path.getFirst());
        return switch (what + "/" + path.size()) {
            case "GET /0" -> help();
            case "GET state/1" -> state();
            case "GET batches/1" ->
                    pools.all().stream()
                            .map(pool ->
                                    Map.of(
                                            "uuid",
                                            pool.itself().text("uuid"),
                                            "batches",
                                            pool.batches()))
                            .toList();
            case "GET faults/1" -> wire.faults().all().stream().map(Faults.Fault::shown).toList();
            case "POST faults/1" -> fault(body(exchange)).shown();
            case "DELETE faults/1" -> {
                wire.faults().clear();
                yield Map.of();
            }
            case "DELETE faults/2" -> {
                if (!wire.faults().remove(path.get(1))) {
                    throw new Unknown("there is no fault '" + path.get(1) + "'");
                }
                yield Map.of();
            }
            case "GET clock/1" -> clock();
            case "POST clock/2" -> {
                if (!path.get(1).equals("advance")) {
                    throw new Unknown("no such path");
                }
                JsonNode seconds = body(exchange).get("seconds");
                if (seconds == null || !seconds.isNumber()) {
                    throw new IllegalArgumentException("the body needs a number 'seconds'");
                }
                pools.clock().advance(Duration.ofMillis((long) (seconds.asDouble() * 1000)));
                yield clock();
            }
            case "POST vms/3" -> order("VM", path, exchange);
            case "POST hosts/3" -> {
                if (path.get(2).equals("eject")) {
                    yield pools.eject(path.get(1)).state();
                }
                yield order("host", path, exchange);
            }
            case "POST pools/3" -> order("pool", path, exchange);
            default -> throw new Unknown("no such path; GET / lists all paths");
        };
    }

    private Map<String, Object> state() {
        Map<String, Object> state = new LinkedHashMap<>();
        state.put("port", wire.port());
        state.put("now", pools.clock().now().toString());
        state.put("pools", pools.all().stream().map(Pool::state).toList());
        return state;
    }

    private Map<String, Object> clock() {
        return Map.of("now", pools.clock().now().toString(), "millis", pools.clock().millis());
    }

    private Faults.Fault fault(JsonNode body) {
        for (String each : body.propertyNames()) {
            if (!List.of("kind", "address", "call", "argument", "times").contains(each)) {
                throw new IllegalArgumentException("a fault has no '" + each + "'");
            }
        }
        return wire.faults()
                .add(
                        FaultKind.of(text(body, "kind")),
                        text(body, "address"),
                        text(body, "call"),
                        text(body, "argument"),
                        body.has("times") ? body.get("times").asInt() : 0);
    }

    private static String text(JsonNode body, String name) {
        JsonNode value = body.get(name);
        return value == null ? "" : value.asString();
    }

    private Object order(String type, List<String> path, HttpExchange exchange) throws IOException {
        Map<String, String> arguments = new LinkedHashMap<>();
        body(exchange)
                .properties()
                .forEach(each -> arguments.put(each.getKey(), each.getValue().asString()));
        for (Pool pool : pools.all()) {
            try {
                Pool.Commit commit = pool.order(type, path.get(1), path.get(2), arguments);
                if (type.equals("host") && path.get(2).equals("kill")) {
                    pool.objects("host").stream()
                            .filter(each -> each.text("uuid").equals(path.get(1)))
                            .forEach(each -> wire.dropConnections(each.text("address")));
                }
                return Map.of(
                        "pool",
                        pool.itself().text("uuid"),
                        "generation",
                        commit.generation(),
                        "nanos",
                        commit.nanos());
            } catch (XapiError e) {
                if (!e.description().equals(List.of("UUID_INVALID", type, path.get(1)))) {
                    throw e;
                }
            }
        }
        throw new XapiError("UUID_INVALID", type, path.get(1));
    }

    private static JsonNode body(HttpExchange exchange) throws IOException {
        byte[] bytes = exchange.getRequestBody().readNBytes(LARGEST_BODY_BYTES + 1);
        if (bytes.length > LARGEST_BODY_BYTES) {
            throw new IllegalArgumentException("the body is too large");
        }
        JsonNode body =
                JSON.readTree(bytes.length == 0 ? "{}".getBytes(StandardCharsets.UTF_8) : bytes);
        if (!body.isObject()) {
            throw new IllegalArgumentException("the body is no object");
        }
        return body;
    }

    private static String help() {
        StringBuilder help = new StringBuilder();
        help.append(
                """
                GET    /state                    the truth: pools, hosts, VMs
                GET    /batches                  batches of events that clients got
                POST   /vms/UUID/ORDER           what happens to a VM
                POST   /hosts/UUID/ORDER         what happens to a host; also eject
                POST   /pools/UUID/ORDER         what happens to a pool
                GET    /faults                   faults that are set
                POST   /faults                   {"kind", "address", "call", "argument", "times"}
                DELETE /faults[/ID]              removes one, or all
                GET    /clock                    simulated time
                POST   /clock/advance            {"seconds": N}, with --speed 0

                Orders:
                """);
        Orders.names().forEach(each -> help.append("  ").append(each).append('\n'));
        help.append("Faults:\n");
        for (FaultKind each : FaultKind.values()) {
            help.append("  ").append(each.word()).append(' ').append(each.argument()).append('\n');
        }
        return help.toString();
    }
}
