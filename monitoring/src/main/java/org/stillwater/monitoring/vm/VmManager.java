package org.stillwater.monitoring.vm;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.history.RingFormat;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.vm.VmCommands;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRun;

/**
 * Everything the engine holds in memory about one VM.
 *
 * <p>Readers call {@link #view()} and {@link #statistics()} from any thread and never lock. A
 * change of the VM needs its lock: host monitors only with {@link #tryLock()}, commands with {@link
 * #lock()}. A report that finds the lock taken is {@link #park parked}, newest first, and its
 * monitor is called when the lock is free, so that a command loses no report.
 *
 * <p>It is long because one lock guards the whole state of a VM.
 */
public final class VmManager implements VmReading {

    /** Both sides of a migration, the previous host and one more. */
    private static final int MOST_PARKED_REPORTERS = 4;

    /** Number of former reporters with a remembered stamp: both sides of two migrations. */
    private static final int MOST_FORMER_REPORTERS = 3;

    /** Instead of the time that an answer took: the report is an event. */
    private static final int EVENT = -1;

    /** Attempts to read a provenance before a changing one is returned as it is. */
    private static final int TRAIL_READS = 3;

    private final VmId id;
    private final VmStatistics statistics;
    private final VmDevices devices = new VmDevices();
    private final ReentrantLock lock = new ReentrantLock();
    private volatile VmStatic definition;
    private volatile VmState state;
    private volatile long lastReportEpochMillis;
    private volatile @Nullable VmExternalData externalData;
    private volatile @Nullable List<ParkedReport> parked;
    private volatile boolean held;
    private volatile List<HostClaim> claims = List.of();

    /** Follows from definition and state, three objects away, and is needed in each cycle. */
    private volatile int cpus;

    // Guarded by the lock.
    private @Nullable HostVms home;
    private @Nullable VmStatusCounts counts;
    private @Nullable HostId stampReporter;
    private long stampMillis = VmReport.NO_STAMP;
    private long heardNanos;
    private int answerMicros = EVENT;
    private boolean heardOfProcess;
    private int stampBoot;
    private int stampSession;
    private List<Stamp> former = List.of();
    private boolean everChanged;
    private long changedNanos;
    private @Nullable HostId changedBy;
    private volatile boolean everConfirmed;
    private volatile long confirmedNanos;
    private int seenInPoll;
    private Orders orders = Orders.NONE;
    private volatile @Nullable Past past;

    /** History of a VM's changes, which most VMs have none of since the engine started. */
    private static final class Past {
        private @Nullable Arrival arrival; // guarded by the VM's lock
        private volatile @Nullable HostId cameFrom;
        private volatile long committedEpochMillis;
        private volatile byte @Nullable [] beliefs;
    }

    /** The newest report of a host that is not responsible for the VM. */
    private record Stamp(
            HostId reporter,
            int boot,
            int session,
            long millis,
            long heardNanos,
            boolean ofProcess) {}

    /**
     * Arrival of a VM from another host, kept until its new host's report of its end is accepted.
     *
     * @param from the former host
     * @param nanos time of its placement on its host
     * @param expected whether the engine knew the destination of its migration
     */
    public record Arrival(HostId from, long nanos, boolean expected) {}

    /** Orders of commands; together, because most VMs have none and share one value. */
    private record Orders(
            VmCommands commands,
            boolean powerOff,
            long powerOffUntilNanos,
            boolean settled,
            long settledNanos) {
        static final Orders NONE = new Orders(VmCommands.NONE, false, 0, false, 0);

        Orders with(VmCommands next, boolean stillPowerOff) {
            return new Orders(next, stillPowerOff, powerOffUntilNanos, settled, settledNanos);
        }
    }

    VmManager(
            VmId id,
            VmStatic definition,
            VmState state,
            int historyLimit,
            @Nullable RingFormat recentHistory) {
        this.id = id;
        this.definition = definition;
        this.state = state;
        this.statistics = new VmStatistics(definition, historyLimit, recentHistory);
        this.cpus = cpus(definition, state);
    }

    @Override
    public VmId id() {
        return id;
    }

    /**
     * The hash of the id. With identity hashes, the iteration over a host's VMs, and so the order
     * of audit events and saved rows, would differ between two runs of one simulated history.
     */
    @Override
    public int hashCode() {
        return id.hashCode();
    }

    @Override
    public VmStatic definition() {
        return definition;
    }

    @Override
    public VmState state() {
        return state;
    }

    /** The VM's numbers. */
    public VmStatistics statistics() {
        return statistics;
    }

    /** Virtual CPUs of the VM: as it was started, else as it is defined. */
    public int cpus() {
        return cpus;
    }

    private static int cpus(VmStatic definition, VmState state) {
        VmRun.Topology started = state.placement().run().topology();
        return started == null ? definition.cpus() : started.cpus();
    }

    /** The VM as a reader sees it. */
    public VmView view() {
        long reported = lastReportEpochMillis;
        return new VmView(
                id, definition, state, reported == 0 ? null : Instant.ofEpochMilli(reported));
    }

    @Override
    public long lastReportEpochMillis() {
        return lastReportEpochMillis;
    }

    @Override
    public void numbers(VmNumbers into) {
        statistics.read(into);
    }

    @Override
    public long whole(VmNumber number) {
        return statistics.whole(number);
    }

    @Override
    public double fraction(VmNumber number) {
        return statistics.fraction(number);
    }

    @Override
    public long observedEpochMillis() {
        return statistics.observedEpochMillis();
    }

    /** Replaces the known state; called by the change feed only, under the lock. */
    public void publish(VmState next) {
        VmStatusCounts counted = counts;
        if (counted != null) {
            counted.move(state.runtime().status(), next.runtime().status());
        }
        statistics.follow(state, next);
        state = next;
        cpus = cpus(definition, next);
    }

    /**
     * Counts the VM by its status from now on, and no more where it was counted before; under the
     * lock.
     *
     * @param next null to count it nowhere
     */
    void countIn(@Nullable VmStatusCounts next) {
        VmStatusCounts before = counts;
        if (before != null) {
            before.remove(state.runtime().status());
        }
        counts = next;
        if (next != null) {
            next.add(state.runtime().status());
        }
    }

    /** Replaces the definition, for commands that hold the lock. */
    public void redefine(VmStatic next) {
        definition = next;
        cpus = cpus(next, state);
        statistics.redefine(next);
    }

    /** Takes the lock if neither it nor the VM is held; for monitors. */
    public boolean tryLock() {
        if (held || !lock.tryLock()) {
            return false;
        }
        if (held) {
            lock.unlock();
            return false;
        }
        return true;
    }

    /**
     * From now on, until {@link #release}, monitors find the VM locked by any thread: a command
     * waits for its host, and reports meanwhile are parked. The holder releases it within a bounded
     * time. Under the lock.
     */
    public void hold() {
        held = true;
    }

    /** Whether a command holds the VM. */
    public boolean isHeld() {
        return held;
    }

    /** Admits monitors to the VM again, which are called when the lock is free. Under the lock. */
    public void release() {
        held = false;
    }

    /**
     * Admits monitors to the VM again, which are called when the lock is free. Under the lock.
     *
     * @param settledNanos complete polls requested until this time do not contain the holder's
     *     effects
     */
    public void release(long settledNanos) {
        held = false;
        orders =
                new Orders(
                        orders.commands(),
                        orders.powerOff(),
                        orders.powerOffUntilNanos(),
                        true,
                        settledNanos);
    }

    /** Waits for the lock; for commands, never for monitors. */
    public void lock() {
        lock.lock();
    }

    /** Frees the lock and resumes the reports that monitors parked meanwhile. */
    public void unlock() {
        lock.unlock();
        List<ParkedReport> waiting = parked;
        if (waiting != null && !held && !lock.isHeldByCurrentThread()) {
            waiting.forEach(report -> report.resume().run());
        }
    }

    /**
     * Keeps a report until the lock is free. A newer report of the same host replaces it. Over one
     * connection the host's clock decides which report is newer, or the engine's if the host stamps
     * nothing. A report over a newer connection is always newer, because the host may have booted
     * and its clock started again; otherwise the end of a VM before the boot would set the running
     * VM to Down.
     */
    public void park(ParkedReport report) {
        synchronized (statistics) {
            List<ParkedReport> next = new ArrayList<>(2);
            List<ParkedReport> previous = parked;
            if (previous != null) {
                for (ParkedReport other : previous) {
                    if (!other.source().reporter().equals(report.source().reporter())) {
                        next.add(other);
                    } else if (isOlder(report, other)) {
                        return;
                    }
                }
            }
            if (next.size() == MOST_PARKED_REPORTERS) {
                next.removeFirst();
            }
            next.add(report);
            parked = List.copyOf(next);
        }
    }

    private static boolean isOlder(ParkedReport report, ParkedReport other) {
        if (report.source().session() != other.source().session()
                || !isComparable(
                        report.source(), other.source().boot(), other.source().session())) {
            return false;
        }
        long millis = report.report().hostStampMillis();
        long otherMillis = other.report().hostStampMillis();
        if (millis == VmReport.NO_STAMP && otherMillis == VmReport.NO_STAMP) {
            // An event is analysed in the middle of a list that was made before it.
            return report.source().fetchedNanos() - other.source().fetchedNanos() < 0;
        }
        return millis != VmReport.NO_STAMP
                && otherMillis != VmReport.NO_STAMP
                && millis < otherMillis;
    }

    /** Whether a report of this host waits until a command releases the VM. */
    public boolean hasParked(HostId reporter) {
        List<ParkedReport> waiting = parked;
        return waiting != null
                && waiting.stream().anyMatch(report -> report.source().reporter().equals(reporter));
    }

    /** Whether a report of this host waits by which it has a process of the VM. */
    public boolean isSaidToRun(HostId reporter) {
        List<ParkedReport> waiting = parked;
        return waiting != null
                && waiting.stream()
                        .anyMatch(parkedOne ->
                                parkedOne.source().reporter().equals(reporter)
                                        && parkedOne.report() instanceof VmReport.Running);
    }

    /** Removes and returns this host's parked report; null if there is none. */
    public @Nullable ParkedReport takeParked(HostId reporter) {
        if (parked == null) {
            return null;
        }
        synchronized (statistics) {
            List<ParkedReport> previous = parked;
            if (previous == null) {
                return null;
            }
            ParkedReport taken = null;
            List<ParkedReport> rest = new ArrayList<>(2);
            for (ParkedReport report : previous) {
                if (report.source().reporter().equals(reporter)) {
                    taken = report;
                } else {
                    rest.add(report);
                }
            }
            parked = rest.isEmpty() ? null : List.copyOf(rest);
            return taken;
        }
    }

    /**
     * Whether a report may be analysed. Under the lock.
     *
     * <p>Two rules (monitoring specification §4.2). The host's own clock orders the reports of one
     * host within one boot, also when another host reported in between; a complete poll that was
     * requested on a newer connection is accepted with any clock, since the host may have
     * restarted. Against changes of other origin the engine's clock decides: a report requested
     * before the change cannot contain it.
     */
    public Staleness staleness(ReportSource source, long hostStampMillis) {
        boolean sameReporter = source.reporter().equals(stampReporter);
        boolean comparable =
                sameReporter
                        && isComparable(source, stampBoot, stampSession)
                        && hostStampMillis != VmReport.NO_STAMP
                        && stampMillis != VmReport.NO_STAMP;
        if (comparable ? hostStampMillis < stampMillis : isOvertaken(source, hostStampMillis)) {
            return Staleness.OLDER_THAN_LAST_REPORT;
        }
        if (sameReporter && isOlderEvent(source, hostStampMillis)) {
            return Staleness.OLDER_THAN_LAST_REPORT;
        }
        if (everChanged && source.fetchedNanos() - changedNanos <= 0) {
            boolean laterWordOfTheChanger =
                    source.reporter().equals(changedBy)
                            && (comparable
                                    ? hostStampMillis > stampMillis
                                    : !source.complete() && sameReporter);
            if (!laterWordOfTheChanger) {
                return Staleness.OLDER_THAN_LAST_CHANGE;
            }
        }
        return isSettledAfter(source) ? Staleness.OLDER_THAN_LAST_CHANGE : Staleness.FRESH;
    }

    /** Whether a complete poll was requested before a command released the VM. Under the lock. */
    public boolean isSettledAfter(ReportSource source) {
        if (!orders.settled() || !source.complete()) {
            return false;
        }
        if (source.fetchedNanos() - orders.settledNanos() <= 0) {
            return true;
        }
        orders =
                orders.commands().equals(VmCommands.NONE) && !orders.powerOff()
                        ? Orders.NONE
                        : new Orders(
                                orders.commands(),
                                orders.powerOff(),
                                orders.powerOffUntilNanos(),
                                false,
                                0);
        return false;
    }

    private static boolean isComparable(ReportSource source, int boot, int session) {
        return source.boot() == boot && (source.session() == session || !source.complete());
    }

    /**
     * Whether an event without a stamp is older than the newest report of its host: it was parked,
     * and a newer one was analysed first. Without stamps the engine's clock orders the messages of
     * one connection.
     */
    private boolean isOlderEvent(ReportSource source, long hostStampMillis) {
        return !source.complete()
                && hostStampMillis == VmReport.NO_STAMP
                && stampMillis == VmReport.NO_STAMP
                && isComparable(source, stampBoot, stampSession)
                && source.session() == stampSession
                && source.fetchedNanos() - heardNanos < 0;
    }

    /** Whether a host that was not the last to report sent a newer report before. */
    private boolean isOvertaken(ReportSource source, long hostStampMillis) {
        Stamp known = formerStamp(source.reporter());
        return known != null
                && known.millis() != VmReport.NO_STAMP
                && hostStampMillis != VmReport.NO_STAMP
                && isComparable(source, known.boot(), known.session())
                && hostStampMillis < known.millis();
    }

    private @Nullable Stamp formerStamp(HostId reporter) {
        for (int i = 0; i < former.size(); i++) {
            if (former.get(i).reporter().equals(reporter)) {
                return former.get(i);
            }
        }
        return null;
    }

    /**
     * Remembers a report as the newest. Under the lock.
     *
     * @param messageNanos when its message arrived, on the engine's monotonic clock
     * @param epochMillis when the message was decoded
     */
    @SuppressWarnings("ReferenceEquality") // the same instance needs no comparison of its value
    public void accepted(
            ReportSource source,
            long hostStampMillis,
            boolean ofProcess,
            long messageNanos,
            long epochMillis) {
        HostId last = stampReporter;
        HostId reporter = source.reporter();
        if (last != reporter) {
            if (last != null && !last.equals(reporter)) {
                rememberFormer(last, reporter);
            }
            // Only then: the collector checks each object in which a reference was written.
            stampReporter = reporter;
        }
        stampBoot = source.boot();
        stampSession = source.session();
        stampMillis = hostStampMillis;
        heardNanos = source.fetchedNanos();
        heardOfProcess = ofProcess;
        answerMicros = source.complete() ? micros(messageNanos - source.fetchedNanos()) : EVENT;
        lastReportEpochMillis = epochMillis; // last: it publishes the others
    }

    /** Four bytes of each VM suffice: an answer that takes half an hour is given up before. */
    private static int micros(long nanos) {
        return Math.clamp(nanos / 1_000, 0, Integer.MAX_VALUE);
    }

    private Past past() {
        Past known = past;
        if (known == null) {
            synchronized (devices) {
                known = past;
                if (known == null) {
                    known = new Past();
                    past = known;
                }
            }
        }
        return known;
    }

    /** The database has everything known about the VM until then. Any thread. */
    public void committed(long epochMillis) {
        past().committedEpochMillis = epochMillis;
    }

    /** The last transitions, packed; null for none. Any thread; must not be changed. */
    public byte @Nullable [] packedBeliefs() {
        Past known = past;
        return known == null ? null : known.beliefs;
    }

    /** Replaces the last transitions. Under the lock. */
    public void packedBeliefs(byte[] next) {
        past().beliefs = next;
    }

    /**
     * Origin of the known state, for explanations. Any thread; takes no lock, so a report that is
     * accepted meanwhile causes a few further reads.
     */
    public VmProvenance provenance() {
        VmProvenance seen = readTrail();
        for (int again = 0; again < TRAIL_READS && !seen.isOf(lastReportEpochMillis); again++) {
            seen = readTrail();
        }
        return seen;
    }

    private VmProvenance readTrail() {
        long decoded = lastReportEpochMillis;
        List<ParkedReport> waiting = parked;
        Past known = past;
        int took = answerMicros;
        return new VmProvenance(
                decoded == 0
                        ? null
                        : new VmProvenance.Report(
                                stampReporter,
                                took != EVENT,
                                stampMillis,
                                heardNanos,
                                heardNanos + Math.max(0, took) * 1_000L),
                decoded,
                everChanged,
                changedNanos,
                changedBy,
                everConfirmed ? confirmedNanos : null,
                known == null ? 0 : known.committedEpochMillis,
                held,
                waiting == null ? List.of() : waiting);
    }

    /**
     * Remembers a report of a host that is not responsible for the VM: it orders the reports of
     * that host, and does not change those of the responsible host. Under the lock.
     */
    public void acceptedElsewhere(ReportSource source, long hostStampMillis, boolean ofProcess) {
        if (source.reporter().equals(stampReporter)) {
            stampBoot = source.boot();
            stampSession = source.session();
            stampMillis = hostStampMillis;
            heardNanos = source.fetchedNanos();
            heardOfProcess = ofProcess;
            return;
        }
        remember(
                new Stamp(
                        source.reporter(),
                        source.boot(),
                        source.session(),
                        hostStampMillis,
                        source.fetchedNanos(),
                        ofProcess),
                null);
    }

    /**
     * Remembers a report that does not concern the present state. It still orders its host's
     * reports: an older one that comes later is no news. Under the lock.
     */
    public void setAside(ReportSource source, long hostStampMillis, boolean ofProcess) {
        if (!source.reporter().equals(stampReporter)) {
            acceptedElsewhere(source, hostStampMillis, ofProcess);
        } else if (hostStampMillis == VmReport.NO_STAMP) {
            return;
        } else if (!isComparable(source, stampBoot, stampSession)) {
            if (isLater(source)) {
                stampBoot = source.boot();
                stampSession = source.session();
                stampMillis = hostStampMillis;
            }
        } else if (stampMillis != VmReport.NO_STAMP) {
            stampMillis = Math.max(stampMillis, hostStampMillis);
        }
    }

    /**
     * Whether a report comes of a later boot, or over a later connection, than the newest one of
     * its host: its stamp starts a new order, since the two clocks cannot be compared.
     */
    private boolean isLater(ReportSource source) {
        return source.boot() != stampBoot
                ? source.boot() > stampBoot
                : source.session() > stampSession;
    }

    /** Whether the newest word of a host about the VM is of a process, and after this time. */
    public boolean isProcessSeenSince(HostId host, long nanos) {
        if (host.equals(stampReporter)) {
            return heardOfProcess && heardNanos - nanos > 0;
        }
        Stamp stamp = formerStamp(host);
        return stamp != null && stamp.ofProcess() && stamp.heardNanos() - nanos > 0;
    }

    /** Whether the reporter of a poll spoke of the VM after the poll was requested. */
    public boolean isHeardOfSince(ReportSource poll) {
        return poll.reporter().equals(stampReporter) && heardNanos - poll.fetchedNanos() > 0;
    }

    private void rememberFormer(HostId last, HostId next) {
        remember(
                new Stamp(last, stampBoot, stampSession, stampMillis, heardNanos, heardOfProcess),
                next);
    }

    private void remember(Stamp newest, @Nullable HostId dropped) {
        List<Stamp> stamps = new ArrayList<>(MOST_FORMER_REPORTERS);
        stamps.add(newest);
        for (Stamp stamp : former) {
            boolean other =
                    !stamp.reporter().equals(newest.reporter())
                            && !stamp.reporter().equals(dropped);
            if (other && stamps.size() < MOST_FORMER_REPORTERS) {
                stamps.add(stamp);
            }
        }
        former = List.copyOf(stamps);
    }

    /**
     * Remembers that the VM changed. Under the lock.
     *
     * @param nanos when, on the engine's monotonic clock
     * @param by the host with the report that changed it, null for a command
     */
    public void changed(long nanos, @Nullable HostId by) {
        everChanged = true;
        changedNanos = nanos;
        changedBy = by;
    }

    /** Whether the VM was last changed before this moment, or never. Under the lock. */
    public boolean unchangedSince(long nanos) {
        return !everChanged || changedNanos - nanos < 0;
    }

    /**
     * Its host reports in a complete poll, requested at this time, that it runs. Under the lock.
     */
    public void confirmed(long fetchedNanos) {
        confirmedNanos = fetchedNanos;
        if (!everConfirmed) {
            everConfirmed = true; // a write that other threads see costs more than a read
        }
    }

    /** Whether its host confirmed it by a poll requested after this time. Any thread. */
    public boolean confirmedAfter(long nanos) {
        return everConfirmed && confirmedNanos - nanos > 0;
    }

    /** Other hosts that have a process of the VM, the oldest claim first. Any thread. */
    public List<HostClaim> claims() {
        return claims;
    }

    /** Claim of this host to the VM although another is responsible; null for none. */
    public @Nullable HostClaim claimOf(HostId host) {
        List<HostClaim> known = claims;
        for (int i = 0; i < known.size(); i++) {
            if (known.get(i).claimant().equals(host)) {
                return known.get(i);
            }
        }
        return null;
    }

    /** Whether the responsible host has reported since a claim began that it runs the VM itself. */
    public boolean isRefused(HostClaim claim) {
        return confirmedAfter(claim.sinceNanos());
    }

    /** Begins or continues an episode. Under the lock. */
    public void claim(HostClaim claim) {
        replaceClaims(present -> {
            List<HostClaim> next = new ArrayList<>(present);
            next.replaceAll(each -> each.claimant().equals(claim.claimant()) ? claim : each);
            if (!next.contains(claim)) {
                next.add(claim);
            }
            return List.copyOf(next);
        });
    }

    /** People know that the claim of a host is refused, if it still stands. Under the lock. */
    public void refusalTold(HostId claimant) {
        replaceClaims(present ->
                present.stream()
                        .map(claim -> claim.claimant().equals(claimant) ? claim.told() : claim)
                        .toList());
    }

    /**
     * Ends the episode of a host, if there is one. Under the lock, but for a host that was removed,
     * which must not wait for its holders.
     */
    public void unclaim(HostId host) {
        if (claimOf(host) != null) {
            replaceClaims(present ->
                    present.stream().filter(claim -> !claim.claimant().equals(host)).toList());
        }
    }

    private synchronized void replaceClaims(UnaryOperator<List<HostClaim>> change) {
        claims = change.apply(claims);
    }

    /**
     * Records that the VM came from another host; null after its host's report of its end is
     * accepted. Under the lock.
     */
    public void arrived(@Nullable Arrival how) {
        Past known = how == null ? past : past();
        if (known != null) {
            known.arrival = how;
        }
    }

    /** How the VM came to its host, as long as that matters. Under the lock. */
    public @Nullable Arrival arrival() {
        Past known = past;
        return known == null ? null : known.arrival;
    }

    /** The host that the VM was on before its present one, null for none. Any thread. */
    public @Nullable HostId cameFrom() {
        Past known = past;
        return known == null ? null : known.cameFrom;
    }

    /**
     * When the VM was last changed. Under the lock.
     *
     * @param never value for a VM that never changed
     */
    public long changedSince(long never) {
        return everChanged ? changedNanos : never;
    }

    /** Marks the VM as mentioned by a poll; true the first time. Under the lock. */
    public boolean seenIn(int poll) {
        if (seenInPoll == poll) {
            return false;
        }
        seenInPoll = poll;
        return true;
    }

    /** Whether a poll mentioned the VM. Under the lock. */
    public boolean wasSeenIn(int poll) {
        return seenInPoll == poll;
    }

    /** Whether this index is where the VM is. Under the lock. */
    public boolean isAt(HostVms vms) {
        return home == vms;
    }

    /** Commands under way on the VM at this time. Under the lock. */
    public VmCommands commands(long nowNanos) {
        if (orders.powerOff() && nowNanos - orders.powerOffUntilNanos() >= 0) {
            orders = orders.with(orders.commands(), false);
        }
        VmCommands commands = orders.commands();
        return orders.powerOff() == commands.poweringOff()
                ? commands
                : new VmCommands(
                        commands.inFlight(),
                        commands.coldReboot(),
                        orders.powerOff(),
                        commands.startingOn());
    }

    /**
     * Replaces the commands under way on the VM; a power-off that is no longer among it is over.
     * Under the lock.
     */
    public void commands(VmCommands next) {
        boolean powerOff = orders.powerOff() && next.poweringOff();
        if (!next.equals(orders.commands()) || powerOff != orders.powerOff()) {
            orders = orders.with(next, powerOff);
        }
    }

    /**
     * The VM's destruction was ordered: until this time its absence is no surprise. Under the lock.
     */
    public void powerOffOrdered(long untilNanos) {
        orders =
                new Orders(
                        orders.commands(),
                        true,
                        untilNanos,
                        orders.settled(),
                        orders.settledNanos());
    }

    /** Whether its host may hold TPM or NVRAM data that is not saved yet. */
    public boolean externalDataUnsaved() {
        VmExternalData known = externalData;
        return known != null && known.isUnsaved();
    }

    /** Hashes of the VM's TPM and NVRAM data. */
    public VmExternalData externalData() {
        VmExternalData known = externalData;
        if (known == null) {
            synchronized (devices) {
                known = externalData;
                if (known == null) {
                    known = new VmExternalData();
                    externalData = known;
                }
            }
        }
        return known;
    }

    /** Memory's data about the VM's devices. */
    public VmDevices devices() {
        return devices;
    }

    @Override
    public long deviceDigest() {
        return devices.digest();
    }

    /** Moves the VM to the host of its placement. Under the lock. */
    void moveTo(@Nullable HostVms next) {
        HostVms previous = home;
        if (previous == next) {
            return;
        }
        home = next;
        everConfirmed = false; // its former host's report is no longer a proof
        arrived(null);
        if (previous != null) {
            past().cameFrom = previous.host(); // also while it is not known where it went
        }
        if (next == null) {
            replaceClaims(_ -> List.of());
        } else {
            unclaim(next.host());
        }
        if (previous != null) {
            previous.remove(this);
        }
        if (next != null) {
            next.add(this);
        }
    }

    @Override
    public String toString() {
        VmPlacement placement = state.placement();
        return definition.name() + " (" + id + ") on " + placement.runOn();
    }
}
