package org.stillwater.benchmarks.chaos;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.scale.HarnessClock;

/**
 * Load on VMs while faults strike: a thread that acts on one VM after the other until it is ended.
 * A highly available VM fails once at most and stays down: how many restarts must follow is then
 * certain. A VM that migrated does not end in the same round: the engine does not know where it
 * went, so if it ends there before it was seen there, it is unknown for minutes, which is so
 * decided (ADR 5).
 */
final class Load {

    private static final Duration PAUSE = Duration.ofMillis(15);
    private static final Duration END_PATIENCE = Duration.ofSeconds(40);

    /** Changes that leave a VM running. */
    private static final List<String> HARMLESS =
            List.of(
                    "pause",
                    "resume",
                    "resume",
                    "migrate",
                    "login",
                    "logout",
                    "change-address",
                    "console-connect",
                    "console-disconnect",
                    "watchdog");

    /** Changes that end or begin a run. */
    private static final List<String> ENDING = List.of("crash", "shutdown", "destroy", "start");

    private final Hosts hosts;
    private final HarnessClock clock;
    private final List<String> vms;
    private final Set<String> highlyAvailable;
    private final SplittableRandom random;
    private final Set<String> failed = new HashSet<>();
    private final Set<String> moved = new HashSet<>();
    private final Thread thread;
    private int actions;
    private volatile boolean ending;
    private volatile @Nullable String trouble;

    Load(
            Hosts hosts,
            HarnessClock clock,
            List<String> vms,
            Set<String> highlyAvailable,
            long seed) {
        this.hosts = hosts;
        this.clock = clock;
        this.vms = new ArrayList<>(vms);
        this.highlyAvailable = Set.copyOf(highlyAvailable);
        this.random = new SplittableRandom(seed);
        this.thread = Thread.ofVirtual().name("load").start(this::run);
    }

    private void run() {
        try {
            while (!ending) {
                act(next());
                clock.waitUntil(clock.nanoTime() + PAUSE.toNanos());
            }
        } catch (IOException e) {
            trouble = e.toString();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // ended early
        }
    }

    private record Action(String vm, String name, String options) {}

    private Action next() {
        String vm = vms.get(random.nextInt(vms.size()));
        String name;
        if (highlyAvailable.contains(vm)) {
            name = random.nextInt(4) == 0 ? "crash" : HARMLESS.get(random.nextInt(HARMLESS.size()));
        } else {
            List<String> all = random.nextInt(3) == 0 ? ENDING : HARMLESS;
            name = all.get(random.nextInt(all.size()));
        }
        int number = random.nextInt(1, 250);
        Map<String, String> options =
                Map.of(
                        "migrate", "{\"takes\": 1}",
                        "change-address", "{\"address\": \"10.60.0." + number + "\"}",
                        "login", "{\"user\": \"user-" + number + "\"}",
                        "console-connect", "{\"address\": \"10.70.0." + number + "\"}");
        return new Action(vm, name, options.getOrDefault(name, "{}"));
    }

    private void act(Action action) throws IOException, InterruptedException {
        boolean failure = action.name().equals("crash") && highlyAvailable.contains(action.vm());
        boolean tooLate =
                (failure && failed.contains(action.vm()))
                        || (ENDING.contains(action.name()) && moved.contains(action.vm()));
        if (!tooLate && hosts.act(action.vm(), action.name(), action.options())) {
            actions++;
            if (action.name().equals("migrate")) {
                moved.add(action.vm());
            }
            if (failure) {
                failed.add(action.vm());
            }
        }
    }

    /**
     * Ends it.
     *
     * @return the highly available VMs that failed
     * @throws IOException if something could not be done
     */
    Set<String> end() throws IOException, InterruptedException {
        ending = true;
        if (!thread.join(END_PATIENCE)) {
            throw new IOException("the load does not end");
        }
        if (trouble != null) {
            throw new IOException(trouble);
        }
        return failed;
    }

    /** How many changes it made; known once it has ended. */
    int actions() {
        return actions;
    }
}
