package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.trace.v1.Span;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.WorldSettings;
import tools.jackson.databind.JsonNode;

/** Series of VMs and hosts, and the push of meters, of one running engine. */
@Timeout(120)
class MetricsIT {

    private static final int VMS = 40;

    /** One push that a collector received. */
    private record Push(String path, String type, String credential, String body) {}

    @TempDir static Path folder;
    private static final BlockingQueue<Push> pushes = new LinkedBlockingQueue<>(100);
    private static final BlockingQueue<byte[]> traces = new LinkedBlockingQueue<>(1_000);
    private static HttpServer collector;
    private static TestDatabase database;
    private static SimulatedFleet fleet;
    private static RunningEngine engine;

    @BeforeAll
    static void start() throws Exception {
        collector =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        collector.createContext(
                "/v1/traces",
                exchange -> {
                    boolean _ = traces.offer(exchange.getRequestBody().readAllBytes());
                    exchange.sendResponseHeaders(200, -1);
                    exchange.close();
                });
        collector.createContext(
                "/",
                exchange -> {
                    boolean _ =
                            pushes.offer(
                                    new Push(
                                            exchange.getRequestURI().getPath(),
                                            exchange.getRequestHeaders().getFirst("Content-Type"),
                                            exchange.getRequestHeaders().getFirst("X-Credential"),
                                            new String(
                                                    exchange.getRequestBody().readAllBytes(),
                                                    java.nio.charset.StandardCharsets.ISO_8859_1)));
                    exchange.sendResponseHeaders(200, -1);
                    exchange.close();
                });
        collector.start();
        database = TestDatabase.migrated();
        fleet = SimulatedFleet.start(folder, WorldSettings.of(13, 2, 20));
        engine =
                RunningEngine.start(
                        database,
                        fleet.engineArguments(),
                        "--stillwater.cycle.repoll-pause=0s",
                        "--stillwater.metrics.exporter-names=true",
                        "--stillwater.otlp-traces.enabled=true",
                        "--stillwater.otlp-traces.interval=500ms",
                        "--stillwater.otlp-traces.cycles-in-ten-thousand=10000",
                        "--stillwater.otlp-traces.url=http://127.0.0.1:%d/v1/traces"
                                .formatted(collector.getAddress().getPort()),
                        "--stillwater.otlp.enabled=true",
                        "--stillwater.otlp.interval=1s",
                        "--stillwater.otlp.headers.X-Credential=secret-of-the-collector",
                        "--stillwater.otlp.url=http://127.0.0.1:%d/v1/metrics"
                                .formatted(collector.getAddress().getPort()));
        engine.awaitHostsUp(2);
        RunningEngine.await(
                () -> engine.monitoring().fleet().vmCount() == VMS,
                () -> "" + engine.monitoring().health());
        fleet.world().advance(Duration.ofSeconds(30));
        engine.pollAll();
        engine.pollAll();
    }

    @AfterAll
    static void stop() {
        engine.close();
        fleet.close();
        database.close();
        collector.stop(0);
    }

    /** The result of a strict reader of an exposition. */
    private static final class Parsed {

        private static final Pattern SAMPLE =
                Pattern.compile(
                        "([a-zA-Z_:][a-zA-Z0-9_:]*)(\\{((?:[a-z_]+=\"(?:[^\"\\\\\\n]|\\\\[\\\\\"n])*\",?)*)\\})?"
                            + " (\\S+)");
        private static final Pattern LABEL =
                Pattern.compile("([a-z_]+)=\"((?:[^\"\\\\]|\\\\.)*)\",?");

        private final Map<String, String> types = new HashMap<>();
        private final Map<String, Double> samples = new HashMap<>();
        private final Map<String, Map<String, String>> labels = new HashMap<>();

        Parsed(String text, boolean openMetrics) {
            assertThat(text).endsWith("\n");
            Set<String> ended = new HashSet<>();
            String family = "";
            String helped = "";
            List<String> lines = text.lines().toList();
            for (int i = 0; i < lines.size(); i++) {
                String line = lines.get(i);
                if (line.equals("# EOF")) {
                    assertThat(openMetrics && i == lines.size() - 1).as("the end").isTrue();
                } else if (line.startsWith("# HELP ")) {
                    helped = line.split(" ", 4)[2];
                    assertThat(ended.add(helped)).as("one family of the name " + helped).isTrue();
                } else if (line.startsWith("# TYPE ")) {
                    String[] words = line.split(" ", 4);
                    assertThat(words[2]).as("HELP before TYPE").isEqualTo(helped);
                    assertThat(words[3]).isIn("gauge", "counter", "info", "histogram");
                    family = words[2];
                    types.put(family, words[3]);
                } else {
                    Matcher sample = SAMPLE.matcher(line);
                    assertThat(sample.matches()).as(line).isTrue();
                    assertThat(whole(sample.group(1), types.get(family)))
                            .as("samples of a family are together")
                            .isEqualTo(name(family, types.get(family), openMetrics));
                    String key = line.substring(0, line.lastIndexOf(' '));
                    assertThat(samples.put(key, Double.valueOf(sample.group(4))))
                            .as("no sample twice: " + key)
                            .isNull();
                    Map<String, String> told = new HashMap<>();
                    Matcher label = LABEL.matcher(sample.group(3) == null ? "" : sample.group(3));
                    while (label.find()) {
                        assertThat(told.put(label.group(1), label.group(2))).isNull();
                    }
                    labels.put(key, told);
                }
            }
        }

        /** The name without the part of a histogram that a sample is. */
        private static String whole(String name, String type) {
            return type.equals("histogram") ? name.replaceAll("_(bucket|count|sum)$", "") : name;
        }

        private static String name(String family, String type, boolean openMetrics) {
            if (!openMetrics) {
                return family;
            }
            return switch (type) {
                case "counter" -> family + "_total";
                case "info" -> family + "_info";
                default -> family;
            };
        }

        long count(String name) {
            return samples.keySet().stream().filter(key -> key.startsWith(name + "{")).count();
        }

        double value(String key) {
            assertThat(samples).containsKey(key);
            return samples.get(key);
        }
    }

    @Test
    void everyVmHasSeriesByItsIdAndNamesInAnInfoSeries() {
        HttpResponse<String> answer = engine.get("/metrics/vms");
        assertThat(answer.headers().firstValue("Content-Type"))
                .get()
                .asString()
                .startsWith("text/plain;")
                .contains("version=0.0.4");
        Parsed parsed = new Parsed(answer.body(), false);
        assertThat(parsed.count("stillwater_vm_info")).isEqualTo(VMS);
        assertThat(parsed.count("stillwater_vm_up")).isEqualTo(VMS);
        JsonNode vm =
                engine.json("/api/v1/vms?limit=1&status=up&statistics=true").path("items").get(0);
        String id = vm.path("id").asString();
        assertThat(parsed.value("stillwater_vm_up{id=\"%s\"}".formatted(id))).isOne();
        assertThat(parsed.value("stillwater_vm_cpus{id=\"%s\"}".formatted(id)))
                .isEqualTo(vm.path("cpus").asInt());
        assertThat(parsed.labels.values())
                .anySatisfy(labels ->
                        assertThat(labels)
                                .containsEntry("id", id)
                                .containsEntry("name", vm.path("name").asString())
                                .containsEntry("host_id", vm.path("hostId").asString()));
        assertThat(parsed.types).containsKey("stillwater_vm_network_receive_bytes_total");
        assertThat(parsed.types).containsKey("ovirt_vm_up");
        assertThat(parsed.types).containsKey("ovirt_vm_network_data_rx_bytes_total");
        assertThat(parsed.count("ovirt_vm_memory_installed_bytes")).isEqualTo(VMS);
        assertThat(parsed.count("stillwater_vm_cpu_usage_ratio")).isPositive();
    }

    @Test
    void aScrapeNamesTheFamiliesThatItWantsAndTheExportersHaveAPathOfTheirOwn() {
        Parsed usual = new Parsed(engine.get("/metrics/vms").body(), false);
        assertThat(usual.types)
                .containsKeys("stillwater_vm_up", "stillwater_vm_network_receive_bytes_total")
                .doesNotContainKeys(
                        "stillwater_vm_memory_unused_bytes", "stillwater_vm_disk_reads_total");
        Parsed few =
                new Parsed(
                        engine.get("/metrics/vms?families=memory,stillwater_vm_disk_reads_total")
                                .body(),
                        false);
        assertThat(few.types)
                .containsKeys("stillwater_vm_memory_unused_bytes", "stillwater_vm_disk_reads_total")
                .doesNotContainKey("stillwater_vm_up");
        Parsed all = new Parsed(engine.get("/metrics/vms?families=all").body(), false);
        assertThat(all.types).containsKeys("stillwater_vm_up", "stillwater_vm_balloon_bytes");
        HttpResponse<String> wrong = engine.get("/metrics/vms?families=cpus");
        assertThat(wrong.statusCode()).isEqualTo(400);
        assertThat(wrong.body()).contains("families has no cpus; there are all, state, usage");

        Parsed vms = new Parsed(engine.get("/metrics/exporter/vms").body(), false);
        Parsed hosts = new Parsed(engine.get("/metrics/exporter/hosts").body(), false);
        assertThat(vms.types).containsKey("ovirt_vm_up");
        assertThat(hosts.types).containsKeys("ovirt_host_up", "ovirt_storage_up");
        assertThat(vms.types.keySet()).allMatch(name -> name.startsWith("ovirt_"));
        assertThat(hosts.types.keySet()).allMatch(name -> name.startsWith("ovirt_"));
    }

    /** Prometheus adds {@code up} itself. */
    @Test
    void everyQueryOfADashboardAndEveryRuleNamesSeriesOfARunningEngine() throws Exception {
        Set<String> exposed = new HashSet<>(Set.of("up"));
        System.gc(); // pauses have a series from the first one on
        RunningEngine.await(
                () ->
                        engine.get("/actuator/prometheus")
                                .body()
                                .contains("jvm_gc_pause_seconds_sum"),
                () -> "no pause of the collector is told");
        RunningEngine.await( // a rate takes two polls that are apart
                () -> {
                    if (engine.get("/metrics/hosts")
                            .body()
                            .contains("stillwater_host_network_usage_ratio{")) {
                        return true;
                    }
                    fleet.world().advance(Duration.ofSeconds(15));
                    engine.pollAll();
                    return false;
                },
                () -> "no host has a rate of its network");
        for (String path :
                List.of("/actuator/prometheus", "/metrics/hosts", "/metrics/vms?families=all")) {
            engine.get(path)
                    .body()
                    .lines()
                    .filter(line -> !line.startsWith("#") && !line.isBlank())
                    .forEach(line -> exposed.add(line.split("[{ ]", 2)[0]));
        }
        assertThat(exposed).hasSizeGreaterThan(100);
        for (Dashboards.Rule rule : Dashboards.rules()) {
            if (rule.record() != null) {
                exposed.add(rule.record());
            }
        }
        exposed.addAll(Dashboards.CONDITIONAL.keySet());
        Map<String, Set<String>> missing = new HashMap<>();
        Dashboards.panels().forEach((panel, query) -> notIn(exposed, query, panel, missing));
        for (Dashboards.Rule rule : Dashboards.rules()) {
            notIn(exposed, rule.expression(), rule.toString(), missing);
        }
        assertThat(missing).as("series that no running engine has").isEmpty();
    }

    private static void notIn(
            Set<String> exposed, String query, String where, Map<String, Set<String>> missing) {
        Set<String> names = Dashboards.series(query);
        assertThat(names).as("%s: %s", where, query).isNotEmpty();
        names.removeAll(exposed);
        if (!names.isEmpty()) {
            missing.put(where, names);
        }
    }

    @Test
    void openMetricsIsServedOnRequest() {
        for (String path : List.of("/metrics/vms", "/metrics/hosts")) {
            HttpResponse<String> answer =
                    engine.send(
                            HttpRequest.newBuilder(URI.create(engine.address() + path))
                                    .header(
                                            "Accept",
                                            "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5")
                                    .build());
            assertThat(answer.headers().firstValue("Content-Type"))
                    .get()
                    .asString()
                    .startsWith("application/openmetrics-text");
            assertThat(answer.body()).endsWith("# EOF\n");
            Parsed parsed = new Parsed(answer.body(), true);
            assertThat(parsed.types.values()).contains("info", "counter", "gauge");
        }
    }

    @Test
    void everyHostHasSeries() {
        Parsed parsed = new Parsed(engine.get("/metrics/hosts").body(), false);
        assertThat(parsed.count("stillwater_host_info")).isEqualTo(2);
        assertThat(parsed.count("stillwater_host_cpu_usage_ratio")).isEqualTo(2);
        assertThat(parsed.count("ovirt_host_up")).isEqualTo(2);
        assertThat(parsed.types)
                .containsKeys(
                        "ovirt_host_memory_total_bytes",
                        "ovirt_host_cpu_load_avg_5m_percent",
                        "ovirt_host_network_data_tx_bytes_total");
    }

    /**
     * Families of ovirt_exporter (REST specification §5.4), with its labels; without rates, which
     * take two polls of an interface.
     */
    @Test
    void theExportersFamiliesAreAllThereWithItsLabels() {
        Parsed vms = new Parsed(engine.get("/metrics/vms").body(), false);
        Parsed hosts = new Parsed(engine.get("/metrics/hosts").body(), false);
        Set<String> ofVm = Set.of("name", "host", "cluster");
        for (String name :
                List.of(
                        "up",
                        "illegal_images",
                        "cpu_cores",
                        "cpu_sockets",
                        "cpu_threads",
                        "snapshots",
                        "memory_installed_bytes",
                        "memory_used_bytes",
                        "memory_free_bytes",
                        "memory_buffered_bytes",
                        "memory_cached_bytes",
                        "memory_unused_bytes",
                        "cpu_current_guest_percent",
                        "cpu_current_hypervisor_percent",
                        "cpu_current_total_percent",
                        "migration_progress_percent",
                        "cpu_usage_history_percent",
                        "elapsed_time_seconds_total")) {
            has(vms, "ovirt_vm_" + name, ofVm);
        }
        for (String size : List.of("provisioned", "actual", "total")) {
            has(
                    vms,
                    "ovirt_vm_disk_" + size + "_size_bytes",
                    Set.of(
                            "name",
                            "host",
                            "cluster",
                            "disk_name",
                            "disk_alias",
                            "disk_logical_name",
                            "storage_domain",
                            "disk_id"));
        }
        for (String name :
                List.of(
                        "up",
                        "cpu_cores",
                        "cpu_sockets",
                        "cpu_threads",
                        "cpu_speed_hertz",
                        "memory_installed_bytes",
                        "memory_total_bytes",
                        "memory_used_bytes",
                        "memory_free_bytes",
                        "memory_shared_bytes",
                        "swap_total_bytes",
                        "swap_free_bytes",
                        "swap_used_bytes",
                        "ksm_cpu_current_percent",
                        "cpu_current_user_percent",
                        "cpu_current_system_percent",
                        "cpu_current_idle_percent",
                        "cpu_load_avg_5m_percent",
                        "boot_time")) {
            has(hosts, "ovirt_host_" + name, Set.of("name", "cluster"));
        }
        for (String name :
                List.of(
                        "data_rx_bytes_total",
                        "data_tx_bytes_total",
                        "errors_rx_total",
                        "errors_tx_total")) {
            has(vms, "ovirt_vm_network_" + name, Set.of("name", "host", "cluster", "nic", "mac"));
            has(hosts, "ovirt_host_network_" + name, Set.of("name", "cluster", "nic", "mac"));
        }
        for (String name :
                List.of("up", "master", "available_bytes", "used_bytes", "committed_bytes")) {
            has(hosts, "ovirt_storage_" + name, Set.of("name", "type", "path"));
        }
        assertThat(hosts.types)
                .containsEntry("ovirt_collectors_duration", "histogram")
                .containsKey("ovirt_storage_up");
        assertThat(hosts.samples)
                .containsKey("ovirt_collectors_duration_bucket{collector=\"storage\",le=\"+Inf\"}")
                .containsKey("ovirt_collectors_duration_sum{collector=\"host\"}");
        Parsed again = new Parsed(engine.get("/metrics/vms").body(), false);
        assertThat(again.value("ovirt_collectors_duration_count{collector=\"vm\"}")).isPositive();
        assertThat(hosts.samples.keySet())
                .filteredOn(key -> key.startsWith("ovirt_storage_up"))
                .allSatisfy(key -> assertThat(hosts.value(key)).isOne());
    }

    private static void has(Parsed parsed, String name, Set<String> labels) {
        assertThat(parsed.types).containsKey(name);
        String sample =
                parsed.samples.keySet().stream()
                        .filter(key -> key.startsWith(name + "{"))
                        .findFirst()
                        .orElseThrow(() -> new AssertionError("no sample of " + name));
        assertThat(parsed.labels.get(sample).keySet()).as(name).isEqualTo(labels);
    }

    @Test
    void shardsHaveEachVmOnce() {
        Set<String> ids = new HashSet<>();
        long sum = 0;
        for (int i = 0; i < 3; i++) {
            Parsed part = new Parsed(engine.get("/metrics/vms?shard=" + i + "/3").body(), false);
            sum += part.count("stillwater_vm_info");
            part.labels.values().forEach(labels -> ids.add(labels.getOrDefault("id", "")));
        }
        ids.remove("");
        assertThat(sum).isEqualTo(VMS);
        assertThat(ids).hasSize(VMS);
        Parsed host = new Parsed(engine.get("/metrics/vms?host=host-0001").body(), false);
        assertThat(host.count("stillwater_vm_info")).isEqualTo(20);
        assertThat(engine.get("/metrics/vms?host=nowhere").statusCode()).isEqualTo(404);
        assertThat(engine.get("/metrics/hosts?host=nowhere").statusCode()).isEqualTo(404);
        assertThat(engine.get("/metrics/vms?hosts=host-0001").statusCode()).isEqualTo(400);
        for (String wrong : List.of("3/3", "x", "1/0", "-1/2", "1/100000")) {
            assertThat(engine.get("/metrics/vms?shard=" + wrong).statusCode())
                    .as(wrong)
                    .isEqualTo(400);
        }
    }

    @Test
    void aVmWithStaleNumbersHasNone() {
        Parsed before = new Parsed(engine.get("/metrics/vms").body(), false);
        String vm =
                before.samples.keySet().stream()
                        .filter(key -> key.startsWith("stillwater_vm_cpu_usage_ratio"))
                        .map(key -> key.substring(key.indexOf('"') + 1, key.lastIndexOf('"')))
                        .findFirst()
                        .orElseThrow();
        fleet.world().vm(vm).crash();
        RunningEngine.await(
                () -> {
                    engine.pollAll();
                    return !engine.get("/metrics/vms")
                            .body()
                            .contains("stillwater_vm_cpu_usage_ratio{id=\"" + vm);
                },
                () -> "still there");
        assertThat(engine.get("/metrics/vms").body()).contains("stillwater_vm_up{id=\"" + vm);
    }

    @Test
    void aSettingPushesMetersToACollector() throws Exception {
        // A push during the start does not contain all meters.
        Push push = pushes.poll(60, TimeUnit.SECONDS);
        for (int i = 0; i < 60 && push != null && !push.body().contains("stillwater.vms"); i++) {
            push = pushes.poll(60, TimeUnit.SECONDS);
        }
        assertThat(push).isNotNull();
        assertThat(push.path()).isEqualTo("/v1/metrics");
        assertThat(push.type()).isEqualTo("application/x-protobuf");
        assertThat(push.credential()).isEqualTo("secret-of-the-collector");
        assertThat(push.body()).contains("stillwater.vms");
    }

    @Test
    void aSettingTracesCycles() throws Exception {
        List<Span> spans = new ArrayList<>();
        while (spans.stream().noneMatch(span -> span.getName().equals("statistics cycle"))) {
            byte[] body = traces.poll(120, TimeUnit.SECONDS);
            assertThat(body).as("traces").isNotNull();
            ExportTraceServiceRequest.parseFrom(body)
                    .getResourceSpans(0)
                    .getScopeSpans(0)
                    .getSpansList()
                    .forEach(spans::add);
        }
        Span cycle =
                spans.stream()
                        .filter(span -> span.getName().equals("statistics cycle"))
                        .findFirst()
                        .orElseThrow();
        assertThat(cycle.getTraceId().size()).isEqualTo(16);
        assertThat(cycle.getParentSpanId().isEmpty()).isTrue();
        assertThat(
                        spans.stream()
                                .filter(span -> span.getParentSpanId().equals(cycle.getSpanId()))
                                .map(Span::getName))
                .startsWith("wait for the host", "decode and analyse");
    }
}
