package org.stillwater.fake.control;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.fake.world.SimulatedHost;
import org.stillwater.fake.world.SimulatedVm;
import org.stillwater.fake.world.World;
import org.stillwater.fake.world.WorldException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A script: actions at virtual times, once or again and again. A step may name its VM or host, or
 * use {@code any}, which draws one by the world's seed and the step's number and turn. Steps that
 * do not fit the state of their subject are counted and passed over. Thread-safe.
 */
final class Scenario {

    private static final Logger LOG = LoggerFactory.getLogger(Scenario.class);
    private static final String ANY = "any";
    private static final int MOST_STEPS = 100_000;

    private final World world;
    private final AtomicLong performed = new AtomicLong();
    private final AtomicLong passedOver = new AtomicLong();
    private final AtomicLong drawn = new AtomicLong();
    private volatile int generation;

    Scenario(World world) {
        this.world = world;
    }

    /** One step, checked. */
    private record Step(
            Duration at,
            @Nullable Duration every,
            int times,
            @Nullable String vm,
            @Nullable String host,
            String action,
            @Nullable Consumer<SimulatedVm> onVm,
            @Nullable Consumer<SimulatedHost> onHost) {}

    /**
     * Plans the steps of a script, in addition to the planned ones.
     *
     * @param script {@code {"steps": […]}}, or the list of steps alone
     * @return the number of its steps
     * @throws IllegalArgumentException if any of them is not right; none is planned then
     */
    int add(JsonNode script) {
        JsonNode list = script.isObject() ? script.get("steps") : script;
        if (list == null || !list.isArray()) {
            throw new IllegalArgumentException("a scenario is {\"steps\": [...]}");
        }
        if (list.size() > MOST_STEPS) {
            throw new IllegalArgumentException(
                    "a scenario has %d steps at most".formatted(MOST_STEPS));
        }
        List<Step> steps = new ArrayList<>();
        for (JsonNode step : list) {
            try {
                steps.add(read(step));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "step %d: %s".formatted(steps.size() + 1, e.getMessage()), e);
            }
        }
        steps.forEach(step -> plan(step, step.at, step.times, generation));
        return steps.size();
    }

    /** Drops the steps that have not run yet. */
    synchronized void stop() {
        generation++;
    }

    ObjectNode status() {
        ObjectNode status = JsonNodeFactory.instance.objectNode();
        status.put("performed", performed.get());
        status.put("passedOver", passedOver.get());
        return status;
    }

    private Step read(JsonNode json) {
        Options options = new Options(json);
        Duration every = options.duration("every");
        Duration at = options.duration("at", every == null ? Duration.ZERO : every);
        int times = options.number("times", every == null ? 1 : Integer.MAX_VALUE);
        String action = options.required("action");
        String vm = options.text("vm");
        String host = options.text("host");
        JsonNode given = json.get("options");
        JsonNode of = given == null ? JsonNodeFactory.instance.objectNode() : given;
        if (every != null && every.isZero()) {
            throw new IllegalArgumentException("'every' must be above 0");
        }
        if (times < 1) {
            throw new IllegalArgumentException("'times' must be 1 at least");
        }
        if ((vm == null) == (host == null)) {
            throw new IllegalArgumentException("either 'vm' or 'host' must be there");
        }
        ObjectNode rest = (ObjectNode) json.deepCopy();
        rest.remove("options");
        checkMembers(rest);
        return new Step(
                at,
                every,
                times,
                vm,
                host,
                action,
                vm == null ? null : Actions.onVm(action, of),
                host == null ? null : Actions.onHost(action, of));
    }

    private static void checkMembers(JsonNode json) {
        Options options = new Options(json);
        for (String name : List.of("action", "vm", "host")) {
            String _ = options.text(name);
        }
        Duration _ = options.duration("at");
        Duration _ = options.duration("every");
        int _ = options.number("times", 1);
        options.done();
    }

    private void plan(Step step, Duration in, int left, int plannedIn) {
        world.after(
                in,
                () -> {
                    if (plannedIn != generation) {
                        return;
                    }
                    perform(step);
                    if (step.every != null && left > 1) {
                        plan(step, step.every, left - 1, plannedIn);
                    }
                });
    }

    private void perform(Step step) {
        try {
            if (step.onVm != null && step.vm != null) {
                SimulatedVm vm = step.vm.equals(ANY) ? anyVm(step.action) : world.vm(step.vm);
                if (vm == null) {
                    passedOver.incrementAndGet();
                    return;
                }
                step.onVm.accept(vm);
            } else if (step.onHost != null && step.host != null) {
                step.onHost.accept(step.host.equals(ANY) ? anyHost() : world.host(step.host));
            }
            performed.incrementAndGet();
        } catch (WorldException | IllegalArgumentException e) { // no such disk, for instance
            passedOver.incrementAndGet();
            LOG.debug("scenario step {} passed over: {}", step.action, e.getMessage());
        }
    }

    /** A VM the action fits, if one is found within some draws. */
    private @Nullable SimulatedVm anyVm(String action) {
        List<SimulatedVm> all = world.vms();
        if (all.isEmpty()) {
            return null;
        }
        SplittableRandom dice = dice();
        for (int draw = 0; draw < 64; draw++) {
            SimulatedVm candidate = all.get(dice.nextInt(all.size()));
            if (fits(candidate.status(), action)) {
                return candidate;
            }
        }
        return all.stream().filter(vm -> fits(vm.status(), action)).findFirst().orElse(null);
    }

    private static boolean fits(@Nullable String status, String action) {
        return switch (action) {
            case "start" -> status == null;
            case "destroy" -> "Down".equals(status);
            case "resume" -> "Paused".equals(status);
            case "cancel-migration" -> "Migration Source".equals(status);
            default -> "Up".equals(status);
        };
    }

    private SimulatedHost anyHost() {
        List<SimulatedHost> all = world.hosts();
        return all.get(dice().nextInt(all.size()));
    }

    private SplittableRandom dice() {
        return new SplittableRandom(world.settings().seed() + 31 * drawn.incrementAndGet());
    }
}
