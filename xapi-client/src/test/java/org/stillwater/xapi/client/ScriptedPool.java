package org.stillwater.xapi.client;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.stillwater.core.time.EngineClock;

/**
 * A pool whose answers a test writes in JSON-RPC, reached without sockets, on a clock of its own.
 */
final class ScriptedPool implements Transport {

    private static final Pattern METHOD = Pattern.compile("\"method\":\"([^\"]+)\"");

    /** The port of no host. */
    private static final int PORT = 80;

    final List<String> addresses;

    /** Each call as its address and its method. */
    final List<String> calls = new ArrayList<>();

    /** Hosts that cannot be reached. */
    final Set<String> dead = new HashSet<>();

    /** Results of {@code event.from}, the next one first. */
    final Deque<String> batches = new ArrayDeque<>();

    /** Results of other methods. */
    final Map<String, String> results = new HashMap<>();

    /** Methods that are refused, with the code of the error and its parameter. */
    final Map<String, List<String>> failures = new HashMap<>();

    String coordinator;
    private long nanos;

    final EngineClock clock =
            new EngineClock() {
                @Override
                public long nanoTime() {
                    return nanos;
                }

                @Override
                public Instant now() {
                    return Instant.EPOCH.plusNanos(nanos);
                }
            };

    ScriptedPool(String... addresses) {
        this.addresses = List.of(addresses);
        this.coordinator = addresses[0];
        results.put("session.login_with_password", "\"OpaqueRef:session\"");
        results.put("session.logout", "\"\"");
        results.put("pool.get_all_records", "{\"OpaqueRef:pool\":{\"uuid\":\"the-pool\"}}");
        List<String> hosts = new ArrayList<>();
        for (String each : addresses) {
            hosts.add("\"OpaqueRef:%s\":{\"address\":\"%s\"}".formatted(each, each));
        }
        results.put("host.get_all_records", "{" + String.join(",", hosts) + "}");
    }

    void pass(Duration time) {
        nanos += time.toNanos();
    }

    PoolConnection connect() {
        PoolAccess access =
                PoolAccess.of(addresses.subList(0, 1), PORT, "root", () -> "stillwater", "test")
                        .plain()
                        .with(XapiEncoding.JSON_RPC);
        return PoolConnection.stepped(access, this, new PoolClaims(), clock);
    }

    /** Appends a batch of events with these counts, such as {@code "vif":1}. */
    void batch(String counts, String... events) {
        batches.add(
                "{\"events\":[%s],\"valid_ref_counts\":{%s},\"token\":\"%020d,0\"}"
                        .formatted(String.join(",", events), counts, calls.size()));
    }

    /** An event; an empty record for a deletion. */
    static String event(XapiClass type, String operation, String ref, String record) {
        return "{\"id\":\"1\",\"timestamp\":\"0.0\",\"class\":\"%s\",\"operation\":\"%s\",\"ref\":\"%s\"%s}"
                .formatted(
                        type.eventName(),
                        operation,
                        ref,
                        record.isEmpty() ? "" : ",\"snapshot\":" + record);
    }

    /** How often a method was called. */
    long count(String method) {
        return calls.stream().filter(each -> each.endsWith(" " + method)).count();
    }

    @Override
    public Answer post(
            String address, String path, String contentType, byte[] body, Duration timeout)
            throws IOException {
        Matcher found = METHOD.matcher(new String(body, StandardCharsets.UTF_8));
        String method = found.find() ? found.group(1) : "";
        calls.add(address + " " + method);
        if (dead.contains(address)) {
            throw new IOException("no route to " + address);
        }
        List<String> failure = failures.get(method);
        String result = method.equals("event.from") ? batches.poll() : results.get(method);
        String reply;
        if (!address.equals(coordinator)) {
            reply = error("HOST_IS_SLAVE", coordinator);
        } else if (failure != null) {
            reply = error(failure.getFirst(), failure.getLast());
        } else if (result == null) {
            reply = error("MESSAGE_METHOD_UNKNOWN", method);
        } else {
            reply = "{\"jsonrpc\":\"2.0\",\"result\":" + result + ",\"id\":1}";
        }
        return new Answer(
                200, contentType, new ByteArrayInputStream(reply.getBytes(StandardCharsets.UTF_8)));
    }

    private static String error(String code, String parameter) {
        return "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":1,\"message\":\"%s\",\"data\":[\"%s\"]},\"id\":1}"
                .formatted(code, parameter);
    }

    @Override
    public Answer get(String address, String path, String accept, Duration timeout)
            throws IOException {
        throw new IOException("no metrics");
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
