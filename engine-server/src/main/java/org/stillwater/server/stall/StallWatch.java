package org.stillwater.server.stall;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.id.HostId;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.host.Stall;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.server.settings.StallSettings;
import org.stillwater.server.xapi.XapiPools;

/**
 * A heart-beat: a platform thread of its own wakes at an interval, and has a virtual thread do so
 * unless a carrier is free for one. How late both come is how long others wait. Once a second it
 * looks how long reports wait in the mailboxes of hosts. It counts long waits. It records very long
 * ones in the audit log and the log, with the stack of the work before them, at most once in ten
 * minutes for each subject.
 */
@Component
final class StallWatch implements SmartLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(StallWatch.class);

    /** Shortest time between two audit events about the same work that waits. */
    static final Duration QUIET = Duration.ofMinutes(10);

    /** Audit events in that time. */
    static final int MOST_TOLD = 10;

    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final StallSettings settings;
    private final EngineClock clock;
    private final Supplier<? extends Iterable<WaitingReports>> hosts;
    private final StallCauses causes;
    private final Audit audit;
    private final Workers workers;
    private final VirtualThreads virtual;
    private final Stalls stalls;
    private @Nullable SupervisedWorker worker;

    // Of the heart-beat's thread.
    private final Map<String, Long> toldNanos = new HashMap<>();
    private long untold;
    private boolean beating;
    private long lastNanos;
    private long mailboxesNanos;
    private long collectorMillis;

    /** When the virtual thread was due to beat; 0 once it has. */
    private volatile long askedNanos;

    /**
     * The mailbox of a host, or the changes of a pool that are not applied yet.
     *
     * @param host null for a pool
     * @param oldestNanos when the oldest report in it arrived; null if none waits
     */
    record WaitingReports(@Nullable HostId host, String name, @Nullable Long oldestNanos) {}

    /** Records audit events. */
    @FunctionalInterface
    interface Audit {
        /** Something happened, to a host or to none. */
        void record(AuditEvent event, @Nullable HostId host, Map<String, String> details);
    }

    /** Cause that delays waiting work. */
    private record Cause(String text, List<CarriedThread> threads) {

        static Cause without(String text) {
            return new Cause(text, List.of());
        }
    }

    @Autowired
    StallWatch(
            StallSettings settings,
            EngineClock clock,
            MonitoringEngine engine,
            XapiPools pools,
            Workers workers,
            MeterRegistry meters) {
        this(
                settings,
                clock,
                () -> waiting(engine, pools),
                StallCauses.of(engine.fleet()),
                (event, host, details) -> engine.commandAccess().audit(event, null, host, details),
                workers,
                meters,
                VirtualThreads.ofProcess());
    }

    private static List<WaitingReports> waiting(MonitoringEngine engine, XapiPools pools) {
        return Stream.concat(
                        engine.fleet().backlogs().stream()
                                .map(host ->
                                        new WaitingReports(
                                                host.host(),
                                                host.name(),
                                                host.oldestReportNanos())),
                        pools.waiting().stream()
                                .map(each ->
                                        new WaitingReports(
                                                null, "pool " + each.pool(), each.sinceNanos())))
                .toList();
    }

    /**
     * A watch.
     *
     * @param hosts hosts with the examined mailboxes
     * @param causes read while something waits
     * @param audit records very long waits
     * @param virtual the virtual threads with examined waits
     */
    StallWatch(
            StallSettings settings,
            EngineClock clock,
            Supplier<? extends Iterable<WaitingReports>> hosts,
            StallCauses causes,
            Audit audit,
            Workers workers,
            MeterRegistry meters,
            VirtualThreads virtual) {
        this.settings = settings;
        this.clock = clock;
        this.hosts = hosts;
        this.causes = causes;
        this.audit = audit;
        this.workers = workers;
        this.virtual = virtual;
        this.stalls = new Stalls(clock, settings.shortest(), meters);
        this.mailboxesNanos = clock.nanoTime() - SECOND;
    }

    /** One heart-beat. */
    void beat() {
        long now = clock.nanoTime();
        process(now);
        virtualThreads(now);
        if (now - mailboxesNanos >= SECOND) {
            mailboxesNanos = now;
            mailboxes(now);
        }
        lastNanos = clock.nanoTime();
        beating = true;
    }

    private void process(long now) {
        long before = collectorMillis;
        collectorMillis = causes.collectorMillis();
        if (beating) {
            long late = now - lastNanos - settings.interval().toNanos();
            boolean _ = stalls.waited(Stalls.What.PROCESS, "", late);
            long collected = collectorMillis - before;
            tell(
                    null,
                    "the whole process",
                    late,
                    () ->
                            Cause.without(
                                    collected > 0
                                            ? "The garbage collector stopped it for "
                                                    + collected
                                                    + " ms."
                                            : "The machine gave it no processor, or stopped it."));
        }
    }

    private void virtualThreads(long now) {
        long asked = askedNanos;
        if (asked != 0) {
            tell(null, "all virtual threads", now - asked, this::carriers);
            return;
        }
        if (virtual.haveAFreeCarrier()) {
            return;
        }
        askedNanos = now == 0 ? 1 : now;
        virtual.start(() -> {
            long waited = clock.nanoTime() - askedNanos;
            askedNanos = 0;
            boolean _ = stalls.waited(Stalls.What.VIRTUAL_THREADS, "", waited);
        });
    }

    private Cause carriers() {
        List<CarriedThread> carried = causes.carried();
        if (carried.isEmpty()) {
            return Cause.without("No thread is known to keep a carrier.");
        }
        return new Cause(
                carried.stream()
                        .map(each -> each.name() + " in " + StackText.place(each.stack()))
                        .collect(Collectors.joining(", ", "Carriers are kept by: ", ".")),
                carried);
    }

    private void mailboxes(long now) {
        for (WaitingReports each : hosts.get()) {
            Long oldest = each.oldestNanos();
            if (oldest != null) {
                boolean _ = stalls.waited(Stalls.What.MAILBOX, each.name(), now - oldest);
                HostId host = each.host();
                tell(
                        host,
                        host == null
                                ? "changes of " + each.name()
                                : "reports of host " + each.name(),
                        now - oldest,
                        () ->
                                host == null
                                        ? Cause.without("Its thread has not applied them yet.")
                                        : ofHost(host, each.name()));
            }
        }
    }

    private Cause ofHost(HostId host, String name) {
        Stall work = causes.ofHost(host);
        if (work == null) {
            return Cause.without("The host was removed.");
        }
        List<String> stack = work.stack().lines().toList();
        return new Cause(
                "Its thread works on %s for %d ms, in %s."
                        .formatted(work.task(), work.time().toMillis(), StackText.place(stack)),
                List.of(new CarriedThread("host-" + name, stack)));
    }

    /** Records a very long wait, within the limits for each subject and for all. */
    private void tell(@Nullable HostId host, String what, long nanos, Supplier<Cause> asked) {
        if (nanos < settings.logged().toNanos()) {
            return;
        }
        long now = clock.nanoTime();
        toldNanos.values().removeIf(each -> now - each >= QUIET.toNanos());
        if (toldNanos.containsKey(what) || toldNanos.size() >= MOST_TOLD) {
            untold++;
            return;
        }
        toldNanos.put(what, now);
        Cause cause = asked.get();
        String millis = Long.toString(nanos / NANOS_PER_MILLI);
        LOG.warn(
                "stall: {} waited for {} ms. {} Suppressed since the last line: {}{}{}",
                what,
                millis,
                cause.text(),
                untold,
                cause.threads().isEmpty() ? "" : "; stacks:\n",
                StackText.lines(cause.threads()));
        untold = 0;
        audit.record(
                AuditEvent.ENGINE_STALLED,
                host,
                Map.of(
                        "what",
                        what,
                        "millis",
                        millis,
                        "cause",
                        cause.text(),
                        "stack",
                        StackText.line(cause.threads(), AuditEntry.LONGEST_VALUE)));
    }

    @Override
    public synchronized void start() {
        if (settings.enabled() && worker == null) {
            worker = workers.periodic("stall-watch", settings.interval(), this::beat);
            worker.startOnPlatformThread();
        }
    }

    @Override
    public synchronized void stop() {
        if (worker != null) {
            boolean _ = worker.stop(Duration.ZERO);
            worker = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return worker != null;
    }
}
