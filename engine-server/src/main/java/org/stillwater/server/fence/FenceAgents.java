package org.stillwater.server.fence;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.fence.PowerFence;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.ovirt.action.HostPower;
import org.stillwater.server.fence.BoundedProcess.Ended;
import org.stillwater.server.settings.PowerFenceSettings;

/**
 * Switches the power of hosts by the programs of the package {@code fence-agents}, as many others
 * do. A program reads its options line by line from its input: nothing of that is on a command
 * line, where every user of the machine could read it, and nothing is logged.
 *
 * <p>A host is off when its agent reports it after the order to switch it off; an accepted order is
 * not enough. Agents are tried in order until one succeeds. Thread-safe.
 */
public final class FenceAgents implements PowerFence, HostPower, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(FenceAgents.class);

    private static final String DRY_RUN =
            "fencing is in dry run (stillwater.fencing.power.dry-run), so that no fence agent is"
                    + " run, not even for the status";

    /** Exit codes of agents for the status. */
    private static final int IS_ON = 0;

    private static final int IS_OFF = 2;

    /** The code instead of an agent's own where its program was not run. */
    private static final int NOT_RUN = -1;

    private static final String UNKNOWN = "unknown";

    private final @Nullable String idle; // why no agent runs for any request
    private final PowerFenceSettings settings;
    private final DefinitionStore definitions;
    private final FenceAgentCatalog catalog;
    private final FenceAgentOutput output;
    private final Semaphore free;
    private final Map<UUID, Attempt> attempts = new ConcurrentHashMap<>();
    private final Set<BoundedProcess> underWay = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closing = new CountDownLatch(1);

    /** Callers that wait for the same attempt. */
    private static final class Attempt {
        private final List<Consumer<Answer>> receivers = new ArrayList<>(1);
        private @Nullable Answer answer;

        synchronized void tell(Consumer<Answer> receiver) {
            if (answer == null) {
                receivers.add(receiver);
            } else {
                receiver.accept(answer);
            }
        }

        synchronized void answered(Answer given) {
            answer = given;
            receivers.forEach(receiver -> told(() -> receiver.accept(given)));
        }
    }

    /** Action of an agent. */
    private enum Action {
        ON,
        OFF,
        STATUS;

        private String word() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /** Agents of hosts as they are defined. */
    public FenceAgents(
            PowerFenceSettings settings, DefinitionStore definitions, FenceAgentCatalog catalog) {
        this(settings, definitions, catalog, null);
    }

    /**
     * Agents of hosts as they are defined.
     *
     * @param forbidden reason why no agent may be run at all, one clause for people; null if the
     *     settings decide
     */
    public FenceAgents(
            PowerFenceSettings settings,
            DefinitionStore definitions,
            FenceAgentCatalog catalog,
            @Nullable String forbidden) {
        this.idle = forbidden != null ? forbidden : settings.dryRun() ? DRY_RUN : null;
        this.settings = settings;
        this.definitions = definitions;
        this.catalog = catalog;
        this.output = new FenceAgentOutput(catalog);
        this.free = new Semaphore(settings.atOnce());
    }

    @Override
    public void fence(HostWork work, UUID owner, Consumer<Answer> receiver) {
        Attempt attempt = new Attempt();
        Attempt other = attempts.putIfAbsent(owner, attempt);
        if (other != null) {
            other.tell(receiver); // the same attempt continues
            return;
        }
        attempt.tell(receiver);
        begin(
                "fence-" + work.host(),
                () -> switched(work.host(), Action.OFF),
                failure -> {
                    attempts.remove(owner);
                    attempt.answered(
                            failure == null ? new Answer.Fenced() : new Answer.Failed(failure));
                });
    }

    /** Does something on a thread of its own; that it cannot begin is an answer, too. */
    private static void begin(
            String thread, Supplier<@Nullable String> work, Consumer<@Nullable String> receiver) {
        try {
            var _ =
                    Thread.ofVirtual()
                            .name(thread)
                            .start(() -> {
                                String failure = work.get();
                                told(() -> receiver.accept(failure));
                            });
        } catch (RuntimeException | Error e) {
            String reason = fault(e);
            told(() -> receiver.accept(reason));
        }
    }

    /** A receiver that fails keeps no other from getting its answer. */
    private static void told(Runnable telling) {
        try {
            telling.run();
        } catch (RuntimeException | Error e) {
            LOG.error("an answer about a host's power was not taken", e);
        }
    }

    private static String fault(Throwable e) {
        return "a fault of the engine's own: " + e.getClass().getSimpleName();
    }

    @Override
    public void powerOn(HostId host, Consumer<@Nullable String> receiver) {
        begin("power-" + host, () -> switched(host, Action.ON), receiver);
    }

    @Override
    public @Nullable String on(HostId host) {
        return switched(host, Action.ON);
    }

    @Override
    public @Nullable String withheld(HostId host) throws InterruptedException {
        List<FenceAgent> agents;
        try {
            agents = definitions.fenceAgents(host);
        } catch (StoreUnavailable e) {
            return "its agents cannot be read: the database does not answer: " + e.getMessage();
        }
        if (agents.isEmpty()) {
            return null;
        }
        if (idle != null) {
            return idle;
        }
        List<String> refusals = new ArrayList<>();
        for (FenceAgent agent : agents) {
            String refusal = refusal(agent);
            if (refusal == null) {
                return null;
            }
            refusals.add(agent + ": " + refusal);
        }
        return String.join("; ", refusals);
    }

    /** Reason why an agent is not run, one clause for people; null if it may be. */
    private @Nullable String refusal(FenceAgent agent) {
        String refusal = agent.trouble() == null ? catalog.refusal(agent) : agent.trouble();
        return refusal == null ? null : "it is not run: " + refusal;
    }

    @Override
    public String status(HostId host) throws InterruptedException {
        free.acquire();
        try {
            for (FenceAgent agent : definitions.fenceAgents(host)) {
                Ended status = run(agent, Action.STATUS);
                if (status.inTime() && status.exitCode() == IS_ON) {
                    return "on";
                }
                if (status.inTime() && status.exitCode() == IS_OFF) {
                    return "off";
                }
            }
        } catch (StoreUnavailable e) {
            LOG.debug("host={} its agents cannot be read: {}", host, e.getMessage());
        } finally {
            free.release();
        }
        return UNKNOWN;
    }

    /**
     * Result of asking one agent for the status.
     *
     * @param power {@code on}, {@code off} or {@code unknown}
     * @param trouble why the power is unknown, one clause for people without secrets; null if it is
     *     known
     */
    public record Tested(String power, @Nullable String trouble) {}

    /**
     * Asks an agent for the status, whether it is stored or not. A test takes no turn of those that
     * switch power, so that it delays none of them; callers bound how many run at a time.
     */
    public Tested test(FenceAgent agent) throws InterruptedException {
        Ended status = run(agent, Action.STATUS);
        if (!status.inTime()) {
            return new Tested(UNKNOWN, failure(status, Action.STATUS, agent));
        }
        return switch (status.exitCode()) {
            case IS_ON -> new Tested("on", null);
            case IS_OFF -> new Tested("off", null);
            case NOT_RUN -> new Tested(UNKNOWN, status.output());
            default -> new Tested(UNKNOWN, failure(status, Action.STATUS, agent));
        };
    }

    /** Why the host's power is not as wanted; null if it is. Never throws. */
    private @Nullable String switched(HostId host, Action wanted) {
        try {
            free.acquire();
            try {
                return switchedByAny(host, wanted);
            } finally {
                free.release();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return "the engine is stopping";
        } catch (StoreUnavailable e) {
            return "its agents cannot be read: the database does not answer: " + e.getMessage();
        } catch (RuntimeException | Error e) {
            // An error as well: a caller that waits for an answer would never end.
            told(() -> LOG.warn("host={} switching its power {} failed", host, wanted.word(), e));
            return fault(e);
        }
    }

    private @Nullable String switchedByAny(HostId host, Action wanted)
            throws StoreUnavailable, InterruptedException {
        List<FenceAgent> agents = definitions.fenceAgents(host);
        if (agents.isEmpty()) {
            return "it has no fence agent; define one, or switch it off by hand and confirm that it"
                    + " was rebooted";
        }
        if (idle != null) {
            return idle;
        }
        List<String> failures = new ArrayList<>();
        for (FenceAgent agent : agents) {
            LOG.info("host={} switching its power {} by {}", host, wanted.word(), agent);
            String failure = switchedBy(agent, wanted);
            if (failure == null) {
                LOG.info("host={} power={} agent={}", host, wanted.word(), agent);
                return null;
            }
            LOG.warn("host={} {}: {}", host, agent, failure);
            failures.add(agent + ": " + failure);
        }
        return String.join("; ", failures);
    }

    private @Nullable String switchedBy(FenceAgent agent, Action wanted)
            throws InterruptedException {
        String refusal = refusal(agent);
        if (refusal != null) {
            return refusal;
        }
        Ended ended = run(agent, wanted);
        String failure = failure(ended, wanted, agent);
        if (failure != null) {
            return failure;
        }
        int code = wanted == Action.OFF ? IS_OFF : IS_ON;
        for (int asked = 1; ; asked++) {
            Ended status = run(agent, Action.STATUS);
            if (status.inTime() && status.exitCode() == code) {
                return null;
            }
            if (asked == settings.statusAttempts()) {
                return "it was ordered to switch %s, but its status after %d queries is %s"
                        .formatted(
                                wanted.word(),
                                asked,
                                status.inTime()
                                        ? "code " + status.exitCode() + output.of(status, agent)
                                        : "unknown, it took too long");
            }
            if (closing.await(settings.statusEvery().toMillis(), TimeUnit.MILLISECONDS)) {
                return "the engine is stopping";
            }
        }
    }

    private @Nullable String failure(Ended ended, Action action, FenceAgent agent) {
        if (!ended.inTime()) {
            return "\"%s\" took more than %d s and was given up"
                    .formatted(action.word(), settings.timeLimit().toSeconds());
        }
        return ended.exitCode() == 0
                ? null
                : "\"%s\" ended with code %d%s"
                        .formatted(action.word(), ended.exitCode(), output.of(ended, agent));
    }

    /** The only way to an agent's process: neither a dry run nor a refused agent gets past it. */
    private Ended run(FenceAgent agent, Action action) throws InterruptedException {
        if (idle != null) {
            return new Ended(true, NOT_RUN, idle);
        }
        String refusal = refusal(agent);
        if (refusal != null) {
            return new Ended(true, NOT_RUN, refusal);
        }
        if (closing.getCount() == 0) {
            return new Ended(true, NOT_RUN, "the engine is stopping");
        }
        BoundedProcess process;
        try {
            process = BoundedProcess.start(List.of(program(agent)), input(agent, action));
        } catch (IOException e) {
            return new Ended(true, NOT_RUN, "it cannot be run: " + e.getMessage());
        }
        underWay.add(process);
        try {
            if (closing.getCount() == 0) {
                process.kill();
            }
            return process.await(settings.timeLimit());
        } finally {
            underWay.remove(process);
        }
    }

    /** The program; its name is of letters, digits and _ only ({@link FenceAgent}). */
    private String program(FenceAgent agent) {
        String name = "fence_" + agent.type();
        Path folder = settings.directory();
        return folder == null ? name : folder.resolve(name).toString();
    }

    /** Input of an agent's program; no value contains a line break ({@link FenceAgent}). */
    static String input(FenceAgent agent, String action) {
        StringBuilder lines = new StringBuilder();
        agent.options().forEach((name, value) -> line(lines, name, value));
        line(lines, "ip", agent.address());
        if (agent.port() != null) {
            line(lines, "ipport", agent.port().toString());
        }
        if (agent.user() != null) {
            line(lines, "username", agent.user());
        }
        if (agent.password() != null) {
            line(lines, "password", agent.password());
        }
        line(lines, "action", action); // the last of a name counts: no option can be another action
        return lines.toString();
    }

    private static String input(FenceAgent agent, Action action) {
        return input(agent, action.word());
    }

    private static void line(StringBuilder lines, String name, String value) {
        lines.append(name).append('=').append(value).append('\n');
    }

    /** Longest time until the power of a host with this number of agents is off. */
    static Duration longest(PowerFenceSettings settings, int agents) {
        Duration status =
                settings.timeLimit()
                        .plus(settings.statusEvery())
                        .multipliedBy(settings.statusAttempts());
        return settings.timeLimit().plus(status).multipliedBy(agents);
    }

    /** Kills the agents under way. Idempotent. */
    @Override
    public void close() {
        closing.countDown();
        underWay.forEach(BoundedProcess::kill);
    }
}
