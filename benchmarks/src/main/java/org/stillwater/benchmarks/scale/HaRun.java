package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Starts many highly available VMs by one request, then loses a host. Simulator, engine and
 * PostgreSQL are processes of their own; everything is requested over the public interfaces.
 */
public final class HaRun {

    private static final Duration PATIENCE = Duration.ofMinutes(15);
    private static final int CLIENTS = 8;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final StablePlan plan;
    private final int started;
    private final int priorities;
    private final PrintStream out;

    /**
     * A run.
     *
     * @param started VMs that are added and started
     * @param priorities how many different ones they have
     */
    public HaRun(StablePlan plan, int started, int priorities, PrintStream progress) {
        if (started < 1 || priorities < 1 || priorities > 100) {
            throw new IllegalArgumentException(
                    "there are at least 1 VM to start and 1 to 100 priorities");
        }
        this.plan = plan;
        this.started = started;
        this.priorities = priorities;
        this.out = progress;
    }

    /**
     * Costs of one phase.
     *
     * @param name name of the phase
     * @param vms of how many VMs
     * @param seconds until all were up
     * @param statements statements sent to the database for state, work and operations
     * @param passes scheduling passes
     * @param calls commands sent to hosts
     */
    public record Phase(
            String name, int vms, double seconds, double statements, double passes, double calls) {}

    /** Stages of statements that operations cause. */
    private static final List<String> STAGES =
            List.of("state", "work", "operations", "definitions");

    /**
     * Measurements of the run.
     *
     * @param phases the phases, in order
     * @param silentSeconds from the loss of power until the host was given up
     * @param disorder VMs that were started again before one that is more urgent
     * @param lost VMs that did not come up again
     */
    public record Result(List<Phase> phases, double silentSeconds, int disorder, int lost) {
        public Result {
            phases = List.copyOf(phases);
        }

        /** Whether every VM runs and the order was kept. */
        public boolean isComplete() {
            return lost == 0 && disorder == 0;
        }

        /** As a table. */
        public String table() {
            StringBuilder table = new StringBuilder();
            table.append("| phase | VMs | s | statements per 100 VMs | passes | calls per VM |\n");
            table.append("|---|---|---|---|---|---|\n");
            for (Phase phase : phases) {
                table.append(
                        String.format(
                                Locale.ROOT,
                                "| %s | %d | %.1f | %.1f | %.0f | %.2f |%n",
                                phase.name(),
                                phase.vms(),
                                phase.seconds(),
                                100 * phase.statements() / Math.max(1, phase.vms()),
                                phase.passes(),
                                phase.calls() / Math.max(1, phase.vms())));
            }
            table.append(
                    String.format(
                            Locale.ROOT,
                            "given up after %.0f s of silence; started before a more urgent one:"
                                    + " %d; not up again: %d%n",
                            silentSeconds,
                            disorder,
                            lost));
            return table.toString();
        }
    }

    /**
     * Measures.
     *
     * @throws BenchFailure if a program ends or does not react in time
     */
    public Result measure() throws IOException, InterruptedException {
        TestBed bed = new TestBed(plan, out);
        return bed.run((engine, simulator) -> new Measured(bed, engine, simulator).measure());
    }

    private final class Measured {
        private final TestBed bed;
        private final EngineProcess engine;
        private final SimulatorProcess simulator;
        private final List<Phase> phases = new ArrayList<>();
        private final Map<String, Integer> priorityOf = new HashMap<>();

        Measured(TestBed bed, EngineProcess engine, SimulatorProcess simulator) {
            this.bed = bed;
            this.engine = engine;
            this.simulator = simulator;
        }

        Result measure() throws IOException, InterruptedException {
            awaitHostsUp();
            out.println("Adding " + started + " VMs");
            List<String> vms = add();
            Meters before = engine.meters();
            long begin = bed.clock().nanoTime();
            out.println("Starting them by one request");
            String batch = start(vms);
            await(
                    "the starts",
                    () -> json("/api/v1/batches/" + batch).path("batch").path("ended").asBoolean());
            phase("start by one request", vms.size(), before, begin);

            JsonNode counts = json("/api/v1/batches/" + batch).path("batch").path("counts");
            if (counts.path("succeeded").asInt() != vms.size()) {
                throw new BenchFailure("not every VM was started: " + counts);
            }
            String host = simulator.hosts().getFirst();
            List<String> lost = onHost(host);
            out.println("Switching " + host + " off, with " + lost.size() + " VMs");
            begin = bed.clock().nanoTime();
            simulator.losePower(host);
            await("that the host is given up", () -> status(host).equals("non_responsive"));
            double silent = seconds(begin);
            before = engine.meters();
            begin = bed.clock().nanoTime();
            Instant confirmed = bed.clock().now();
            out.println("Confirming that it is off");
            String _ =
                    engine.http().post("/api/v1/hosts/" + idOf(host) + "/confirm-rebooted", "{}");
            await("the restarts", () -> up(lost) == lost.size());
            phase("restart of a lost host's VMs", lost.size(), before, begin);
            return new Result(phases, silent, disorder(confirmed), lost.size() - up(lost));
        }

        private void awaitHostsUp() throws InterruptedException {
            await("the hosts", () -> engine.meters().sum("stillwater_hosts_up") == plan.hosts());
        }

        private void phase(String name, int vms, Meters before, long begin)
                throws IOException, InterruptedException {
            double seconds = seconds(begin);
            Meters after = engine.meters();
            out.println(
                    "Statements: "
                            + STAGES.stream()
                                    .map(stage ->
                                            "%.0f of %s"
                                                    .formatted(
                                                            statements(after, stage)
                                                                    - statements(before, stage),
                                                            stage))
                                    .collect(Collectors.joining(", ")));
            phases.add(
                    new Phase(
                            name,
                            vms,
                            seconds,
                            statements(after) - statements(before),
                            after.sum("stillwater_placement_passes_total")
                                    - before.sum("stillwater_placement_passes_total"),
                            after.sum("stillwater_host_commands_total")
                                    - before.sum("stillwater_host_commands_total")));
        }

        private static double statements(Meters meters) {
            return STAGES.stream().mapToDouble(stage -> statements(meters, stage)).sum();
        }

        private static double statements(Meters meters, String stage) {
            return meters.sum("stillwater_sql_statements_total", "stage=\"" + stage + "\"");
        }

        private double seconds(long begin) {
            return (bed.clock().nanoTime() - begin) / 1e9;
        }

        private List<String> add() throws IOException, InterruptedException {
            List<String> ids = new ArrayList<>(started);
            try (ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
                List<Future<String>> answers = new ArrayList<>(started);
                for (int n = 0; n < started; n++) {
                    String body =
                            """
                            {"name": "ha-%04d", "memoryMebibytes": 256,
                             "highlyAvailable": true, "priority": %d}
                            """
                                    .formatted(n, n % priorities);
                    answers.add(clients.submit(() -> engine.http().post("/api/v1/vms", body)));
                }
                for (int n = 0; n < started; n++) {
                    String _ = answers.get(n).get();
                }
            } catch (ExecutionException e) {
                throw new BenchFailure("a VM could not be added: " + e.getCause());
            }
            await("the VMs", () -> engine.meters().sum("stillwater_operations_open") == 0);
            for (JsonNode vm : added()) {
                String id = vm.path("id").asString();
                int number = Integer.parseInt(vm.path("name").asString().substring(3));
                priorityOf.put(id, number % priorities);
                ids.add(id);
            }
            if (ids.size() != started) {
                throw new BenchFailure(ids.size() + " VMs were added, not " + started);
            }
            return ids;
        }

        private String start(List<String> vms) throws IOException, InterruptedException {
            String body =
                    "{\"action\": \"start\", \"vms\": [\"" + String.join("\",\"", vms) + "\"]}";
            JsonNode begun = JSON.readTree(engine.http().post("/api/v1/vms:batch", body));
            if (begun.path("accepted").asInt() != vms.size()) {
                throw new BenchFailure("not every start was accepted: " + begun.path("refused"));
            }
            return begun.path("id").asString();
        }

        private JsonNode json(String path) throws IOException, InterruptedException {
            return JSON.readTree(engine.http().get(path));
        }

        private JsonNode hostNamed(String name) throws IOException, InterruptedException {
            for (JsonNode host : json("/api/v1/hosts").path("items")) {
                if (host.path("name").asString().equals(name)) {
                    return host;
                }
            }
            throw new BenchFailure("the engine has no host " + name);
        }

        private String idOf(String host) throws IOException, InterruptedException {
            return hostNamed(host).path("id").asString();
        }

        private String status(String host) throws IOException, InterruptedException {
            return hostNamed(host).path("status").asString();
        }

        private List<JsonNode> added() throws IOException, InterruptedException {
            List<JsonNode> vms = new ArrayList<>();
            String cursor = "";
            do {
                JsonNode page = json("/api/v1/vms?limit=500" + cursor);
                for (JsonNode vm : page.path("items")) {
                    if (vm.path("name").asString().startsWith("ha-")) {
                        vms.add(vm);
                    }
                }
                JsonNode next = page.path("next");
                cursor = next.isString() ? "&cursor=" + next.asString() : null;
            } while (cursor != null);
            return vms;
        }

        private List<String> onHost(String host) throws IOException, InterruptedException {
            String id = idOf(host);
            return added().stream()
                    .filter(vm -> vm.path("hostId").asString("").equals(id))
                    .map(vm -> vm.path("id").asString())
                    .toList();
        }

        private int up(List<String> wanted) throws IOException, InterruptedException {
            return (int)
                    added().stream()
                            .filter(vm -> wanted.contains(vm.path("id").asString()))
                            .filter(vm -> vm.path("status").asString().equals("up"))
                            .count();
        }

        /** Starts since a moment, by priority: how many began before a more urgent one was up. */
        private int disorder(Instant since) throws IOException, InterruptedException {
            TreeMap<Integer, Instant> lastEnd = new TreeMap<>();
            TreeMap<Integer, List<Instant>> begins = new TreeMap<>();
            String cursor = "";
            do {
                JsonNode page = json("/api/v1/operations?kind=run&limit=500" + cursor);
                for (JsonNode operation : page.path("items")) {
                    Instant created = Instant.parse(operation.path("createdAt").asString());
                    if (created.isBefore(since)) {
                        continue;
                    }
                    Integer priority = priorityOf.get(operation.path("vmId").asString());
                    if (priority == null) {
                        continue; // a VM of the simulated world, not one of the measurement
                    }
                    Instant end = Instant.parse(operation.path("endedAt").asString());
                    lastEnd.merge(priority, end, (a, b) -> a.isAfter(b) ? a : b);
                    begins.computeIfAbsent(priority, _ -> new ArrayList<>()).add(created);
                }
                JsonNode next = page.path("next");
                cursor = next.isString() ? "&cursor=" + next.asString() : null;
            } while (cursor != null);
            int disorder = 0;
            for (var entry : begins.entrySet()) {
                Instant moreUrgent =
                        lastEnd.tailMap(entry.getKey(), false).values().stream()
                                .max(Instant::compareTo)
                                .orElse(Instant.MIN);
                List<Instant> early =
                        entry.getValue().stream().filter(moreUrgent::isAfter).sorted().toList();
                if (!early.isEmpty()) {
                    out.printf(
                            "Of priority %d, %d began before a more urgent one was up, from %s;"
                                    + " that was at %s%n",
                            entry.getKey(), early.size(), early.getFirst(), moreUrgent);
                }
                disorder += early.size();
            }
            return disorder;
        }

        @FunctionalInterface
        private interface Check {
            boolean holds() throws IOException, InterruptedException;
        }

        private void await(String what, Check check) throws InterruptedException {
            bed.await(
                    PATIENCE,
                    what,
                    () -> {
                        engine.requireAlive();
                        simulator.requireAlive();
                    },
                    () -> {
                        try {
                            return check.holds();
                        } catch (IOException e) {
                            throw new BenchFailure(what + ": " + e.getMessage());
                        }
                    });
        }
    }
}
