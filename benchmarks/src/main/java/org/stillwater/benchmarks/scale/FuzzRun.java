package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.stillwater.benchmarks.api.Wire;

/** Malformed requests against a running engine. Seeded: the same seed sends the same requests. */
public final class FuzzRun {

    private static final int MOST_TOLD = 20;

    private static final List<String> PATHS =
            List.of(
                    "/api/v1/vms",
                    "/api/v1/vms/ID",
                    "/api/v1/vms/ID/statistics",
                    "/api/v1/vms/ID/history",
                    "/api/v1/vms/ID/start",
                    "/api/v1/vms/ID/definition",
                    "/api/v1/vms:batch",
                    "/api/v1/hosts",
                    "/api/v1/hosts/ID",
                    "/api/v1/clusters",
                    "/api/v1/data-centres",
                    "/api/v1/events",
                    "/api/v1/operations",
                    "/api/v1/work",
                    "/api/v1/pools",
                    "/api/v1/affinity-groups",
                    "/api/v1/statistics/vms",
                    "/api/v1/statistics/hosts",
                    "/metrics/vms",
                    "/metrics/hosts",
                    "/ovirt-engine/api",
                    "/ovirt-engine/api/vms",
                    "/ovirt-engine/api/vms/ID",
                    "/ovirt-engine/api/hosts",
                    "/ovirt-engine/api/clusters",
                    "/ovirt-engine/api/events",
                    "/ovirt-engine/sso/oauth/token");

    private static final List<String> NAMES =
            List.of(
                    "limit",
                    "cursor",
                    "sort",
                    "fields",
                    "status",
                    "name",
                    "host",
                    "cluster",
                    "since",
                    "age",
                    "cpuAbove",
                    "search",
                    "max",
                    "follow",
                    "from",
                    "format",
                    "shard",
                    "step",
                    "metric",
                    "case_sensitive",
                    "");

    private static final List<String> VALUES =
            List.of(
                    "",
                    "1",
                    "-1",
                    "0",
                    "99999999999999999999",
                    "NaN",
                    "1e309",
                    "name",
                    "-cpu,name",
                    "%00",
                    "%FF%FE",
                    "%",
                    "%zz",
                    "'%20or%201=1--",
                    "*",
                    "(((((((((((((((((",
                    "name=vm*%20and%20(status=up",
                    "sortby%20name%20page%200",
                    "page%20-1",
                    "..%2F..%2Fetc%2Fpasswd",
                    "%F0%9F%92%A9",
                    "a%0d%0aX-Injected:%201",
                    "eyJhIjoxfQ",
                    "W10",
                    "statistics,,,nics",
                    "true",
                    "2026-13-45T99:99:99Z",
                    "-99999d",
                    "{}",
                    "[");

    private static final List<String> BODIES =
            List.of(
                    "",
                    "{",
                    "[]",
                    "null",
                    "\"x\"",
                    "{\"name\":null}",
                    "{\"name\":{}}",
                    "{\"a\":1,\"a\":2}",
                    "{\"name\":\"\\u0000\"}",
                    "{\"port\":1e400}",
                    "{\"vms\":[[[[]]]]}",
                    "<action/>",
                    "<action>",
                    "<!DOCTYPE x [<!ENTITY e SYSTEM"
                            + " \"file:///etc/passwd\">]><action><reason>&e;</reason></action>",
                    "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b"
                            + " \"&a;&a;&a;&a;\">]><vm><name>&b;</name></vm>",
                    "<vm><name></vm>",
                    "grant_type=password",
                    "=",
                    "&&&",
                    "\u0000\u0001\u0002");

    private static final List<String> HEADERS =
            List.of(
                    "Accept: */*",
                    "Accept: application/xml",
                    "Accept: image/png",
                    "Accept: ;;q=",
                    "Accept: text/csv;q=2",
                    "If-None-Match: *",
                    "If-None-Match: \"\"",
                    "If-None-Match: W/",
                    "Accept-Encoding: gzip;q=x",
                    "Range: bytes=0-",
                    "Authorization: Basic ???",
                    "Authorization: Bearer",
                    "Cookie: JSESSIONID=\"",
                    "X-Correlation-Id: \u00e9",
                    "Content-Type: application/xml",
                    "Content-Type: application/json;charset=nonsense",
                    "Content-Type: ;;;",
                    "Prefer: persistent-auth",
                    "Version: x",
                    "Filter: true",
                    "Origin: null",
                    "X-HTTP-Method-Override: TRACE",
                    "Expect: nothing",
                    "Last-Event-ID: x");

    private static final List<String> METHODS =
            List.of("GET", "GET", "GET", "GET", "POST", "PUT", "HEAD", "OPTIONS", "PATCH");

    private final StablePlan plan;
    private final int requests;
    private final long seed;
    private final PrintStream out;

    /**
     * A run.
     *
     * @param requests how many are sent
     * @param seed of the requests
     * @param progress where it tells how far it is
     */
    public FuzzRun(StablePlan plan, int requests, long seed, PrintStream progress) {
        this.plan = plan;
        this.requests = requests;
        this.seed = seed;
        this.out = progress;
    }

    /**
     * What became of the requests.
     *
     * @param statuses how many were answered with each status; 0 for a closed connection
     * @param errors the first requests that were answered with a server error
     * @param heapBefore live heap before, bytes
     * @param heapAfter live heap after, bytes
     * @param threadsBefore platform threads before
     * @param threadsAfter platform threads after
     */
    public record Result(
            long seed,
            Map<Integer, Integer> statuses,
            List<String> errors,
            long heapBefore,
            long heapAfter,
            long threadsBefore,
            long threadsAfter) {

        public Result {
            statuses = Map.copyOf(statuses);
            errors = List.copyOf(errors);
        }

        /** Whether there was no server error. */
        public boolean isFine() {
            return errors.isEmpty();
        }

        /** What people read. */
        public String table() {
            StringBuilder text = new StringBuilder("seed " + seed + "\n");
            new TreeMap<>(statuses)
                    .forEach((status, count) ->
                            text.append(String.format(Locale.ROOT, "%5d: %d%n", status, count)));
            errors.forEach(error -> text.append("server error: ").append(error).append('\n'));
            text.append(
                    String.format(
                            Locale.ROOT,
                            "live heap %.1f MiB before, %.1f MiB after; threads %d before, %d"
                                    + " after%n",
                            heapBefore / 1048576.0,
                            heapAfter / 1048576.0,
                            threadsBefore,
                            threadsAfter));
            return text.toString();
        }
    }

    /** Sends them all. */
    public Result run() throws IOException, InterruptedException {
        TestBed bed = new TestBed(plan, out);
        return bed.run((engine, simulator) -> fuzz(bed, engine, simulator));
    }

    private Result fuzz(TestBed bed, EngineProcess engine, SimulatorProcess simulator)
            throws IOException, InterruptedException {
        List<String> ids = new ArrayList<>(simulator.vms().keySet());
        ids.add("00000000-0000-0000-0000-000000000000");
        ids.add("no-uuid");
        ids.add("%2e%2e");
        ids.add("%00");
        Random random = new Random(seed);
        Map<Integer, Integer> statuses = new TreeMap<>();
        List<String> errors = new ArrayList<>();
        bed.say("%d requests, seed %d", requests, seed);
        try (JvmProbe probe = JvmProbe.attach(engine.pid());
                Wire wire = new Wire(engine.http().port())) {
            send(wire, random, ids, statuses, errors, Math.min(2_000, requests / 10));
            long heapBefore = probe.liveHeapBytes();
            long threadsBefore = threads(engine);
            send(wire, random, ids, statuses, errors, requests - Math.min(2_000, requests / 10));
            engine.requireAlive();
            return new Result(
                    seed,
                    statuses,
                    errors,
                    heapBefore,
                    probe.liveHeapBytes(),
                    threadsBefore,
                    threads(engine));
        }
    }

    private static long threads(EngineProcess engine) throws IOException, InterruptedException {
        return (long) engine.meters().sum("jvm_threads_live_threads");
    }

    private static void send(
            Wire wire,
            Random random,
            List<String> ids,
            Map<Integer, Integer> statuses,
            List<String> errors,
            int count) {
        for (int i = 0; i < count; i++) {
            String request = request(random, ids);
            int status;
            try {
                boolean head = request.startsWith("HEAD ");
                if (head) {
                    request = "GET" + request.substring(4);
                }
                status = wire.send(request.getBytes(StandardCharsets.ISO_8859_1)).status();
            } catch (IOException e) {
                wire.close();
                status = 0;
            }
            statuses.merge(status, 1, Integer::sum);
            if (status >= 500 && status != 503 && status != 501 && errors.size() < MOST_TOLD) {
                errors.add(status + " " + request.replace("\r\n", " | "));
            }
        }
    }

    private static String request(Random random, List<String> ids) {
        StringBuilder path = new StringBuilder(one(random, PATHS).replace("ID", one(random, ids)));
        int parameters = random.nextInt(4);
        for (int i = 0; i < parameters; i++) {
            path.append(i == 0 ? '?' : '&')
                    .append(one(random, NAMES))
                    .append(random.nextInt(10) == 0 ? "" : "=")
                    .append(one(random, VALUES));
        }
        String method = one(random, METHODS);
        StringBuilder text =
                new StringBuilder(method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n");
        int headers = random.nextInt(3);
        for (int i = 0; i < headers; i++) {
            text.append(one(random, HEADERS)).append("\r\n");
        }
        if (method.equals("POST") || method.equals("PUT") || method.equals("PATCH")) {
            String body = one(random, BODIES);
            if (random.nextInt(3) > 0) {
                text.append("Content-Type: ")
                        .append(body.startsWith("<") ? "application/xml" : "application/json")
                        .append("\r\n");
            }
            text.append("Content-Length: ").append(body.length()).append("\r\n\r\n").append(body);
        } else {
            text.append("\r\n");
        }
        return text.toString();
    }

    private static String one(Random random, List<String> of) {
        return of.get(random.nextInt(of.size()));
    }
}
