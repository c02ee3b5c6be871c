package org.stillwater.benchmarks.chaos;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.chaos.Round.Strike;
import org.stillwater.benchmarks.scale.BenchFailure;
import org.stillwater.benchmarks.scale.HarnessClock;
import org.stillwater.benchmarks.scale.Meters;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostWorkKind;
import org.stillwater.testkit.FreePorts;
import tools.jackson.databind.JsonNode;

/**
 * Hosts, engine and PostgreSQL as processes of their own; in each round faults strike under load,
 * are healed, and all processes must agree a moment later. One thread controls them; all that it
 * started has ended when {@link #run} returns.
 *
 * <p>It is long because all rounds share the processes that they strike and restart.
 */
final class ChaosRun {

    private static final Duration START_PATIENCE = Duration.ofMinutes(4);
    private static final Duration SETTLE_PATIENCE = Duration.ofSeconds(45);
    private static final Duration SILENCE_PATIENCE = Duration.ofSeconds(45);
    private static final Duration LOOK = Duration.ofMillis(100);
    private static final Duration DELAY_OF_A_SLOW_DATABASE = Duration.ofMillis(150);
    private static final int MOST_TOLD = 10;
    private static final int MOST_STARTS = 4;
    private static final String NON_RESPONSIVE =
            HostStatus.NON_RESPONSIVE.name().toLowerCase(Locale.ROOT);

    private final ChaosPlan plan;
    private final PrintWriter out;
    private final Tally tally;
    private final HarnessClock clock = new HarnessClock();
    private final Path clockFile;

    private final Map<String, Integer> crashes = new HashMap<>();
    private final Set<String> highlyAvailable = new TreeSet<>();
    private final Set<FaultKind> kinds;
    private final Set<FaultKind> active = EnumSet.noneOf(FaultKind.class);
    private List<String> vmIds = List.of();
    private List<String> hostNames = List.of();
    private volatile boolean stopping;

    ChaosRun(ChaosPlan plan, PrintWriter out, Tally tally) {
        this.plan = plan;
        this.out = out;
        this.tally = tally;
        this.kinds = EnumSet.copyOf(plan.kinds());
        this.clockFile = plan.folder().resolve("clock");
    }

    /** Ends the run as soon as it waits for something. Any thread. */
    void stop() {
        stopping = true;
    }

    /** In steps, so that a run that is to be stopped is stopped soon. */
    private void waitUntil(long nanos) throws InterruptedException {
        do {
            if (stopping) {
                throw new InterruptedException("stopped");
            }
            clock.waitUntil(Math.min(nanos, clock.nanoTime() + LOOK.toNanos()));
        } while (clock.nanoTime() < nanos);
    }

    /** All the processes, and the actions on them. */
    private record Stage(Hosts hosts, DatabaseServer database, Gateway gateway, Engine engine) {}

    /**
     * Runs every round.
     *
     * @throws BenchFailure if the stage cannot be set
     */
    void run() throws IOException, SQLException, InterruptedException {
        prepareFolder();
        int firstHostPort = freeRow(plan.hosts());
        say(
                "Starting %d hosts with %d VMs each, PostgreSQL and the engine",
                plan.hosts(), plan.vmsPerHost());
        try (Hosts hosts = Hosts.start(plan, firstHostPort, FreePorts.next());
                DatabaseServer database =
                        DatabaseServer.start(plan.folder().resolve("postgresql"), plan.binaries());
                Gateway gateway = new Gateway(clock, database.port())) {
            chooseKinds(database);
            await(START_PATIENCE, "the simulated hosts", hosts::requireAlive, hosts::isReady);
            Path list = plan.folder().resolve("hosts");
            hosts.writeList(list);
            try (Engine engine =
                    new Engine(plan, list, clockFile, database, gateway.port(), FreePorts.next())) {
                Stage stage = new Stage(hosts, database, gateway, engine);
                setUp(stage);
                try (Reader reader = new Reader(engine, clock)) {
                    try {
                        playAll(stage, reader);
                    } finally {
                        tally.reads(reader.reads(), reader.slowest());
                    }
                }
            }
        }
    }

    /** Those that can strike here. */
    private void chooseKinds(DatabaseServer database) {
        database.withoutDisks()
                .forEach((kind, why) -> {
                    if (kinds.contains(kind)) {
                        say("%s: %s", kind.label(), why);
                    }
                });
        if (!database.canFillWal()) {
            kinds.remove(FaultKind.WAL_DISK_FULL);
        }
        if (kinds.isEmpty()) {
            throw new BenchFailure("no fault is left that can strike here");
        }
    }

    private void prepareFolder() throws IOException {
        DatabaseServer.cleanUp(plan.folder().resolve("postgresql"));
        if (Files.exists(plan.folder())) {
            try (Stream<Path> old = Files.walk(plan.folder())) {
                for (Path file : old.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
        Files.createDirectories(plan.folder());
    }

    /** The engine imports the VMs that it finds; then every second VM is made highly available. */
    private void setUp(Stage stage) throws IOException, SQLException, InterruptedException {
        List<String> ids = new ArrayList<>();
        stage.hosts().vms().forEach(vm -> ids.add(vm.path("id").asString()));
        ids.sort(Comparator.naturalOrder());
        vmIds = List.copyOf(ids);
        List<String> names = new ArrayList<>();
        stage.hosts()
                .state()
                .path("hosts")
                .forEach(host -> names.add(host.path("name").asString()));
        hostNames = List.copyOf(names);
        for (int i = 0; i < ids.size(); i += 2) {
            highlyAvailable.add(ids.get(i));
        }
        stage.engine().start();
        awaitEngine(stage);
        agree(stage, START_PATIENCE, "all VMs");
        if (!stage.engine().stop()) {
            throw new BenchFailure("the engine does not stop");
        }
        try (Connection connection = stage.database().connect();
                Statement statement = connection.createStatement()) {
            for (String id : highlyAvailable) {
                statement.execute(
                        "UPDATE vm_static SET auto_startup = true WHERE vm_guid = '" + id + "'");
            }
        }
        stage.engine().start();
        awaitEngine(stage);
        agree(stage, START_PATIENCE, "all VMs");
    }

    /**
     * Waits until it answers. An engine that does not get at its database in time refuses to start;
     * like an operator of a service, the harness starts it again, a few times.
     */
    private void awaitEngine(Stage stage) throws IOException, InterruptedException {
        int starts = 1;
        long deadline = clock.nanoTime() + START_PATIENCE.toNanos();
        while (stage.engine().http().tryGet("/api/v1/hosts") == null) {
            if (stage.engine().hasEnded()) {
                if (++starts > MOST_STARTS) {
                    stage.engine().requireAlive();
                }
                stage.engine().start();
            }
            if (clock.nanoTime() > deadline) {
                throw new BenchFailure("the engine does not answer; logs: " + plan.folder());
            }
            waitUntil(clock.nanoTime() + LOOK.toNanos());
        }
    }

    private void agree(Stage stage, Duration patience, String what)
            throws IOException, InterruptedException {
        List<String> open = settle(stage, patience);
        if (!open.isEmpty()) {
            throw new BenchFailure(
                    what
                            + " are not known after "
                            + patience.toSeconds()
                            + " s; logs: "
                            + plan.folder()
                            + "\n  "
                            + Checker.shown(open));
        }
    }

    private void playAll(Stage stage, Reader reader)
            throws IOException, SQLException, InterruptedException {
        say("Seed %d: rounds %d to %d", plan.seed(), plan.from(), plan.from() + plan.rounds() - 1);
        for (int i = 0; i < plan.rounds(); i++) {
            Round round = Round.draw(plan.seed(), plan.from() + i, kinds, plan.hosts());
            long started = clock.nanoTime();
            List<String> violations = play(stage, round);
            String complaint = reader.complaint();
            if (complaint != null) {
                violations.add(complaint);
            }
            Duration took = Duration.ofNanos(clock.nanoTime() - started);
            tally.played(round, violations, took);
            tell(round, violations, took);
            if (tally.violations() >= MOST_TOLD) {
                say("%d rounds were violated: enough is known", tally.violations());
                return;
            }
            if (!violations.isEmpty()) {
                agree(stage, START_PATIENCE, "engine, database and hosts");
                rebase(stage);
            }
        }
    }

    private void tell(Round round, List<String> violations, Duration took) {
        say(
                "%s: %s, %.1f s",
                round.text(), violations.isEmpty() ? "well" : "VIOLATED", took.toMillis() / 1e3);
        if (!violations.isEmpty()) {
            say("  %s", Checker.shown(violations));
            say(
                    "  logs: %s; the same faults again: ./stillwater chaos --seed %d --from %d"
                            + " --rounds 1",
                    plan.folder(), plan.seed(), round.number());
        }
    }

    // One round

    private List<String> play(Stage stage, Round round)
            throws IOException, SQLException, InterruptedException {
        List<String> violations = new ArrayList<>();
        stage.hosts().requireAlive();
        startEverything(stage);
        agree(stage, START_PATIENCE, "engine, database and hosts");
        Load load = new Load(stage.hosts(), clock, vmIds, highlyAvailable, round.loadSeed());
        String silent = round.silentHost() < 0 ? null : hostNames.get(round.silentHost());
        try {
            strike(stage, round, silent, violations);
        } finally {
            heal(stage);
        }
        awaitEngine(stage);
        Set<String> failed = load.end();
        tally.actions(load.actions());
        failed.forEach(id -> crashes.merge(id, 1, Integer::sum));
        if (silent != null) {
            violations.addAll(silence(stage, silent));
            stage.hosts().silence(silent, false);
        }
        long healed = clock.nanoTime();
        violations.addAll(settle(stage, SETTLE_PATIENCE));
        tally.settled(round, Duration.ofNanos(clock.nanoTime() - healed));
        try (Connection connection = stage.database().connect()) {
            violations.addAll(Checker.intents(crashes, Accounts.restarts(connection)));
            Map<String, Integer> told = Accounts.toldFailures(connection);
            told.keySet().retainAll(highlyAvailable);
            violations.addAll(Checker.toldTwice(crashes, told));
            tally.untold(Checker.untold(crashes, told));
        }
        return violations;
    }

    /** Starts the VMs that failed in the last round, as a command would do. */
    private void startEverything(Stage stage) throws IOException, InterruptedException {
        for (JsonNode vm : stage.hosts().vms()) {
            if (vm.path("host").isNull()) {
                boolean _ = stage.hosts().act(vm.path("id").asString(), "start", "{}");
            }
        }
    }

    /** An action at its time. */
    private record Step(Duration at, Act act) {}

    @FunctionalInterface
    private interface Act {
        void happen() throws IOException, SQLException, InterruptedException;
    }

    private void strike(Stage stage, Round round, @Nullable String silent, List<String> violations)
            throws IOException, SQLException, InterruptedException {
        List<Step> steps = new ArrayList<>();
        if (silent != null) {
            steps.add(new Step(round.silentAt(), () -> stage.hosts().silence(silent, true)));
        }
        for (Strike strike : round.strikes()) {
            steps.add(new Step(strike.at(), () -> begin(stage, strike, violations)));
            if (!strike.kind().endsEngine()) {
                steps.add(
                        new Step(
                                strike.at().plus(strike.lasts()), () -> end(stage, strike.kind())));
            }
        }
        steps.add(new Step(round.load(), () -> {}));
        steps.sort(Comparator.comparing(Step::at));
        long start = clock.nanoTime();
        for (Step step : steps) {
            waitUntil(start + step.at().toNanos());
            step.act().happen();
        }
    }

    private void begin(Stage stage, Strike strike, List<String> violations)
            throws IOException, SQLException, InterruptedException {
        active.add(strike.kind());
        switch (strike.kind()) {
            case DATABASE_STOP -> stage.database().stop();
            case DATABASE_KILL -> stage.database().kill();
            case DATABASE_PAUSE -> stage.database().pause();
            case DATABASE_LOCK -> stage.database().lockVms();
            case DISK_FULL -> stage.database().fillDisk();
            case WAL_DISK_FULL -> stage.database().fillWal();
            case OUT_OF_CONNECTIONS -> stage.database().takeConnections();
            case READ_ONLY -> stage.database().readOnly(true);
            case DATABASE_SLOW -> stage.gateway().delay(DELAY_OF_A_SLOW_DATABASE);
            case DATABASE_CUT -> stage.gateway().cut(true);
            case ENGINE_KILL -> stage.engine().kill();
            case ENGINE_STOP -> {
                if (!stage.engine().stop()) {
                    violations.add("the engine did not end within its deadline");
                }
            }
            case CLOCK_JUMP -> moveClock(strike.jump());
        }
    }

    /** Heals a fault; nothing happens if that was done. */
    private void end(Stage stage, FaultKind kind) throws IOException, SQLException {
        if (!active.remove(kind)) {
            return;
        }
        switch (kind) {
            case DATABASE_STOP, DATABASE_KILL -> stage.database().startAgain();
            case DATABASE_PAUSE -> stage.database().goOn();
            case DATABASE_LOCK -> stage.database().unlockVms();
            case DISK_FULL -> stage.database().emptyDisk();
            case WAL_DISK_FULL -> stage.database().emptyWal();
            case OUT_OF_CONNECTIONS -> stage.database().giveConnectionsBack();
            case READ_ONLY -> stage.database().readOnly(false);
            case DATABASE_SLOW -> stage.gateway().delay(Duration.ZERO);
            case DATABASE_CUT -> stage.gateway().cut(false);
            case CLOCK_JUMP -> moveClock(Duration.ZERO);
            case ENGINE_KILL, ENGINE_STOP -> startEngine(stage);
        }
    }

    private void heal(Stage stage) throws IOException, SQLException {
        for (FaultKind kind : FaultKind.values()) { // the engine after its database
            end(stage, kind);
        }
    }

    private static void startEngine(Stage stage) throws IOException {
        if (!stage.engine().isStarted()) {
            stage.engine().start();
        }
    }

    private void moveClock(Duration by) throws IOException {
        Path aside = Files.writeString(clockFile.resolveSibling("clock.new"), by.toString());
        Files.move(aside, clockFile, StandardCopyOption.ATOMIC_MOVE);
    }

    // Checks

    /** A host that stays silent is given up once: its fencing is left to commands, once. */
    private List<String> silence(Stage stage, String host)
            throws IOException, SQLException, InterruptedException {
        List<String> open = List.of();
        long deadline = clock.nanoTime() + SILENCE_PATIENCE.toNanos();
        do {
            waitUntil(clock.nanoTime() + LOOK.toNanos());
            open = silenceNow(stage, host);
        } while (!open.isEmpty() && clock.nanoTime() < deadline);
        return open;
    }

    private static List<String> silenceNow(Stage stage, String host)
            throws IOException, SQLException, InterruptedException {
        List<String> open = new ArrayList<>();
        Facts engine = engineFacts(stage);
        Facts rows;
        try (Connection connection = stage.database().connect()) {
            rows = Accounts.ofRows(connection);
        }
        for (Map.Entry<String, Facts> account :
                Map.of("the engine", engine, "the database", rows).entrySet()) {
            String status = account.getValue().hosts().get(host);
            if (!NON_RESPONSIVE.equals(status)) {
                open.add(
                        "host %s is silent, and %s is %s"
                                .formatted(host, account.getKey(), status));
            }
            String fence = HostWorkKind.FENCE.label() + " " + host + " ";
            long fences =
                    account.getValue().work().stream().filter(key -> key.startsWith(fence)).count();
            if (fences != 1) {
                open.add(
                        "host %s is silent, and %s asks %d times for fencing"
                                .formatted(host, account.getKey(), fences));
            }
        }
        return open;
    }

    private static Facts engineFacts(Stage stage) throws IOException, InterruptedException {
        return Accounts.ofEngine(
                stage.engine().vms(), stage.engine().hosts(), stage.engine().work());
    }

    /**
     * Checks repeatedly until all processes agree.
     *
     * @return differences at the end of patience
     */
    private List<String> settle(Stage stage, Duration patience)
            throws IOException, InterruptedException {
        long deadline = clock.nanoTime() + patience.toNanos();
        List<String> open;
        do {
            waitUntil(clock.nanoTime() + LOOK.toNanos());
            stage.engine().requireAlive();
            stage.hosts().requireAlive();
            open = look(stage);
        } while (!open.isEmpty() && clock.nanoTime() < deadline);
        return open;
    }

    private static List<String> look(Stage stage) throws InterruptedException {
        try {
            if (!stage.engine().isReady()) {
                return List.of("the engine is not ready: " + stage.engine().readiness());
            }
            List<String> open = new ArrayList<>();
            Facts truth = Accounts.ofHosts(stage.hosts().state(), stage.hosts().vms());
            Facts engine = engineFacts(stage);
            try (Connection connection = stage.database().connect()) {
                open.addAll(Checker.differences(truth, engine, Accounts.ofRows(connection)));
            }
            Meters meters = stage.engine().meters();
            for (String queue : List.of("stillwater_writer_queue", "stillwater_audit_queue")) {
                if (meters.sum(queue) != 0 || !meters.has(queue)) {
                    open.add("%s is %.0f".formatted(queue, meters.sum(queue)));
                }
            }
            if (meters.sum("stillwater_wire_buffered_bytes") > 0) {
                open.add("reports are on their way");
            }
            return open;
        } catch (IOException | SQLException e) {
            return List.of("no answer from the engine or the database: " + e);
        }
    }

    /**
     * After a violation: takes the present restart counts as expected, so that later rounds do not
     * report the violation again.
     */
    private void rebase(Stage stage) throws SQLException {
        try (Connection connection = stage.database().connect()) {
            crashes.clear();
            crashes.putAll(Accounts.restarts(connection));
        }
    }

    @FunctionalInterface
    private interface Condition {
        boolean holds() throws InterruptedException;
    }

    private void await(Duration patience, String what, Runnable alive, Condition condition)
            throws InterruptedException {
        long deadline = clock.nanoTime() + patience.toNanos();
        while (!condition.holds()) {
            alive.run();
            if (clock.nanoTime() > deadline) {
                throw new BenchFailure(
                        "%s not there after %d s; logs: %s"
                                .formatted(what, patience.toSeconds(), plan.folder()));
            }
            waitUntil(clock.nanoTime() + LOOK.toNanos());
        }
    }

    /** The first of a row of free ports, below those that the system assigns. */
    private static int freeRow(int count) throws IOException {
        for (int first = 22_000; first < 32_000; first += count) {
            if (isFree(first, count)) {
                return first;
            }
        }
        throw new IOException("no " + count + " free ports in a row");
    }

    private static boolean isFree(int first, int count) {
        for (int port = first; port < first + count; port++) {
            try (ServerSocket socket =
                    new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                if (!socket.isBound()) {
                    return false;
                }
            } catch (IOException _) {
                return false;
            }
        }
        return true;
    }

    @SuppressWarnings("AnnotateFormatMethod") // not worth a dependency
    private void say(String format, @Nullable Object... arguments) {
        out.println(String.format(Locale.ROOT, format, arguments));
        out.flush();
    }
}
