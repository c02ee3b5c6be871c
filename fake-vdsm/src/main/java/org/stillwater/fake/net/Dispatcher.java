package org.stillwater.fake.net;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.vdsm.jsonrpc.Json;
import org.stillwater.vdsm.wire.Destination;
import org.stillwater.vdsm.wire.ErrorCode;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * JSON-RPC of one host (§2): from the body of a SEND to the answer on its reply destination.
 * Thread-safe.
 */
final class Dispatcher {

    private static final Logger log = LoggerFactory.getLogger(Dispatcher.class);

    private static final ObjectReader READER =
            JsonMapper.builder(Json.FACTORY)
                    .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .build()
                    .readerFor(JsonNode.class);

    private static final String PARSE_ERROR =
            "Invalid JSON was received by the server. An error occurred on the server while parsing"
                    + " the JSON text.";
    private static final String INVALID_REQUEST = "The JSON sent is not a valid Request object.";

    /**
     * Most ids with a remembered reply destination, in faithful mode; VDSM's table has no bound.
     */
    private static final int MOST_REPLY_DESTINATIONS = 65_536;

    private final HostEndpoint endpoint;
    private final TransportResources wire;
    private final Workers workers;
    private final Broker broker;
    private final boolean faithful;

    /** Faithful mode only: by id and for all connections, as in VDSM. */
    private final Map<String, String> replyDestinations = new LinkedHashMap<>();

    private volatile boolean dead;

    Dispatcher(HostEndpoint endpoint, TransportResources wire, Broker broker) {
        this.endpoint = endpoint;
        this.wire = wire;
        this.broker = broker;
        this.workers =
                new Workers("fake-worker-" + endpoint.name(), wire.settings(), wire.ticker());
        this.faithful = wire.settings().faithfulQuirks();
    }

    /** Drops all requests, and works again. */
    void restart() {
        workers.reset();
        synchronized (replyDestinations) {
            replyDestinations.clear();
        }
        dead = false;
    }

    /** Takes the body of a request. Never blocks. */
    void request(
            byte[] body, @Nullable String replyTo, @Nullable String correlation, Connection from) {
        JsonNode json;
        try {
            json = READER.readValue(body);
        } catch (JacksonException e) {
            log.debug(
                    "{}: a request that is not JSON: {}", endpoint.name(), e.getOriginalMessage());
            anonymousError(ErrorCode.PARSE_ERROR, PARSE_ERROR, from);
            return;
        }
        Asker asker = new Asker(replyTo, correlation, from);
        if (!json.isArray()) {
            single(json, asker, answer -> send(answer, asker));
        } else if (json.isEmpty()) {
            anonymousError(ErrorCode.INVALID_REQUEST, INVALID_REQUEST, from);
        } else if (json.size() == 1) {
            single(json.get(0), asker, answer -> send(answer, asker));
        } else {
            batch(json, asker);
        }
    }

    private void batch(JsonNode requests, Asker asker) {
        // VDSM runs all and then refuses to send an answer that is not an object (§2.3).
        Batch batch = faithful ? null : new Batch(requests.size(), asker);
        for (JsonNode request : requests) {
            single(
                    request,
                    asker,
                    answer -> {
                        if (batch != null) {
                            batch.add(answer);
                        }
                    });
        }
    }

    /** Runs one request; the consumer gets its answer, or null for a notification. */
    private void single(JsonNode json, Asker asker, Consumer<@Nullable Answer> to) {
        JsonNode method = json.get("method");
        JsonNode params = json.get("params");
        JsonNode version = json.get("jsonrpc");
        if (!json.isObject()
                || version == null
                || !version.isString()
                || !version.stringValue().equals("2.0")
                || method == null
                || !method.isString()
                || (params != null && !params.isContainer() && !params.isNull())) {
            anonymousError(ErrorCode.INVALID_REQUEST, INVALID_REQUEST, asker.connection);
            if (faithful) {
                anonymousError(ErrorCode.INVALID_REQUEST, INVALID_REQUEST, asker.connection);
            }
            to.accept(null);
            return;
        }
        String verb = method.stringValue();
        JsonNode idNode = json.get("id");
        String id = idNode == null || idNode.isNull() ? null : idNode.toString();
        wire.meters().request(verb);
        if (faithful && id != null && asker.replyTo != null) {
            remember(id, asker.replyTo);
        }
        RpcCall call =
                new RpcCall(
                        verb,
                        params == null || params.isNull()
                                ? JsonNodeFactory.instance.objectNode()
                                : params,
                        asker.correlation);
        Reply reply = new Reply(id, verb, asker, to);
        Faults.Active error = wire.strike(FaultKind.ERROR_CODE, asker.connection, verb);
        if (error != null) {
            reply.error(error.spec.code(), error.spec.message());
            return;
        }
        Faults.Active latency = wire.strike(FaultKind.LATENCY, asker.connection, verb);
        Duration delay = latency == null ? Duration.ZERO : wire.faults().delay(latency.spec);
        boolean taken =
                workers.submit(done -> {
                    reply.done = done;
                    if (delay.isZero()) {
                        run(call, reply);
                    } else {
                        wire.ticker()
                                .schedule(
                                        delay,
                                        () ->
                                                Thread.ofVirtual()
                                                        .name("fake-late-" + verb)
                                                        .start(() -> run(call, reply)));
                    }
                });
        if (!taken) {
            wire.meters().refusedCalls.increment();
            reply.error(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "Not enough resources: {'reason': 'Too many tasks', 'resource': 'jsonrpc',"
                            + " 'current_tasks': %d}".formatted(wire.settings().queue()));
        }
    }

    private void run(RpcCall call, Reply reply) {
        try {
            endpoint.call(call, reply);
        } catch (RuntimeException e) {
            log.error("{}: verb {} failed", endpoint.name(), call.method(), e);
            reply.error(ErrorCode.INTERNAL, "Internal JSON-RPC error: " + e.getMessage());
        }
    }

    private void remember(String id, String replyTo) {
        synchronized (replyDestinations) {
            if (replyDestinations.size() < MOST_REPLY_DESTINATIONS) {
                replyDestinations.put(id, replyTo);
            }
        }
    }

    private void send(@Nullable Answer answer, Asker asker) {
        if (answer == null) {
            return;
        }
        String replyTo = asker.replyTo;
        if (faithful) {
            synchronized (replyDestinations) {
                replyTo = replyDestinations.remove(answer.id);
            }
        }
        if (replyTo == null || dead) {
            return;
        }
        String destination = replyTo;
        if (!wire.faults().any()) {
            route(destination, answer.envelope(), answer.verb);
            return;
        }
        String verb = answer.verb;
        Connection asking = asker.connection;
        if (wire.strike(FaultKind.NO_ANSWER, asking, verb) != null) {
            return;
        }
        if (wire.strike(FaultKind.FOREIGN_ANSWER, asking, verb) != null) {
            route(
                    destination,
                    new Answer("\"" + UUID.randomUUID() + "\"", verb, answer.member, answer.value)
                            .envelope(),
                    verb);
        }
        JsonBody envelope = answer.envelope();
        if (wire.strike(FaultKind.BATCH_ANSWER, asking, verb) != null) {
            envelope = new Envelope("[", List.of(envelope), "]");
        }
        JsonBody told = envelope;
        boolean twice = wire.strike(FaultKind.DUPLICATE_ANSWER, asking, verb) != null;
        Runnable tell =
                () -> {
                    route(destination, told, verb);
                    if (twice) {
                        route(destination, told, verb);
                    }
                };
        Faults.Active late = wire.strike(FaultKind.LATE_ANSWER, asking, verb);
        if (late == null) {
            tell.run();
        } else {
            wire.ticker().schedule(wire.faults().delay(late.spec), tell);
        }
    }

    /** An answer to an unknown id goes to the customary destination only (§2.3). */
    private void anonymousError(int code, String message, Connection from) {
        if (!dead && wire.strike(FaultKind.NO_ANSWER, from, "") == null) {
            route(Destination.RESPONSES, Answer.error("null", "", code, message).envelope(), "");
        }
    }

    private void route(String destination, JsonBody body, String label) {
        for (Subscription listener : broker.at(destination)) {
            listener.connection().send(OutFrame.message(destination, listener.id(), body, label));
        }
    }

    /** The caller, and the destination of the answer. */
    private record Asker(
            @Nullable String replyTo, @Nullable String correlation, Connection connection) {}

    /**
     * An answer.
     *
     * @param id as JSON
     * @param verb verb of the request
     * @param member {@code result} or {@code error}
     * @param value of that member
     */
    private record Answer(String id, String verb, String member, JsonBody value) {

        static Answer error(String id, String verb, int code, String message) {
            String quoted = JsonText.quote(message);
            return new Answer(
                    id,
                    verb,
                    "error",
                    JsonBody.of("{\"code\": " + code + ", \"message\": " + quoted + "}"));
        }

        JsonBody envelope() {
            return new Envelope(
                    "{\"jsonrpc\": \"2.0\", \"id\": " + id + ", \"" + member + "\": ",
                    List.of(value),
                    "}");
        }
    }

    /** Answers of a batch, until it is complete. */
    private final class Batch {
        private final List<JsonBody> answers = new ArrayList<>();
        private final Asker asker;
        private int missing;

        Batch(int size, Asker asker) {
            this.missing = size;
            this.asker = asker;
        }

        synchronized void add(@Nullable Answer answer) {
            if (answer != null) {
                answers.add(answer.envelope());
            }
            missing--;
            String replyTo = asker.replyTo;
            if (missing == 0 && !answers.isEmpty() && replyTo != null) {
                route(replyTo, new Envelope("[", answers, "]"), "batch");
            }
        }
    }

    /** Takes the answer of the endpoint. */
    private final class Reply implements RpcReply {
        private final @Nullable String id;
        private final String verb;
        private final Asker asker;
        private final Consumer<@Nullable Answer> to;
        private final AtomicBoolean given = new AtomicBoolean();
        private volatile Runnable done = () -> {};

        Reply(@Nullable String id, String verb, Asker asker, Consumer<@Nullable Answer> to) {
            this.id = id;
            this.verb = verb;
            this.asker = asker;
            this.to = to;
        }

        @Override
        public void result(JsonBody body) {
            JsonBody told =
                    wire.dataFaults().answer(body, endpoint.name(), verb, asker.connection.id());
            give(id == null ? null : new Answer(id, verb, "result", told));
        }

        @Override
        public void error(int code, String message) {
            give(id == null ? null : Answer.error(id, verb, code, message));
        }

        private void give(@Nullable Answer answer) {
            if (given.compareAndSet(false, true)) {
                done.run();
                if (answer == null && faithful) {
                    log.warn("{}: a notification stopped all answers, as in VDSM", endpoint.name());
                    dead = true;
                }
                to.accept(answer);
            }
        }
    }
}
