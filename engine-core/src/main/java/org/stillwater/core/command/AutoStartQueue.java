package org.stillwater.core.command;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.OperationParameters.Cause;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.PendingWork;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.core.vm.WorkKind;

/**
 * VMs for automatic starts: highly available ones that failed, and those that went down to be
 * started with their next configuration (monitoring specification §8).
 *
 * <p>More urgent VMs come first, and less urgent ones wait until those are up, for a limited time.
 * A failed start is tried again, soon at first and rarely later. While the queue is empty no caller
 * needs to check it. Not thread-safe; callers pass the time.
 */
public final class AutoStartQueue {

    private static final Comparator<Entry> MOST_URGENT_FIRST =
            Comparator.comparingInt((Entry entry) -> entry.priority)
                    .reversed()
                    .thenComparing(entry -> entry.vm);

    private final AutoStartLimits limits;
    private final Map<VmId, Entry> entries = new HashMap<>();

    private static final class Entry {
        final VmId vm;
        final Cause cause;
        final @Nullable PendingWork work;
        final long sinceNanos;
        int priority;
        int failures;
        boolean starting;
        long notBeforeNanos;

        Entry(VmId vm, Cause cause, @Nullable PendingWork work, long nowNanos) {
            this.vm = vm;
            this.cause = cause;
            this.work = work;
            this.sinceNanos = nowNanos;
            this.notBeforeNanos = nowNanos;
        }
    }

    /**
     * A VM that is to be started now.
     *
     * @param vm the VM
     * @param cause why
     * @param work the work that it follows from, null if that was taken over by an earlier attempt
     */
    public record Start(VmId vm, Cause cause, @Nullable PendingWork work) {}

    /**
     * Result of a check of the queue.
     *
     * @param starts VMs to be started now, the most urgent first
     * @param needless work that no longer needs an action
     */
    public record Look(List<Start> starts, List<PendingWork> needless) {
        public Look {
            starts = List.copyOf(starts);
            needless = List.copyOf(needless);
        }
    }

    /** An empty queue. */
    public AutoStartQueue(AutoStartLimits limits) {
        this.limits = limits;
    }

    /**
     * Adds a VM; its counts are reset.
     *
     * @return work of an earlier entry of the VM that is not needed now
     */
    public @Nullable PendingWork register(PendingWork work, long nowNanos) {
        Cause cause =
                work.kind() == WorkKind.COLD_REBOOT ? Cause.COLD_REBOOT : Cause.HIGH_AVAILABILITY;
        Entry before = entries.get(work.vmId());
        if (before != null && before.starting) {
            entries.put(work.vmId(), new Entry(work.vmId(), cause, work, nowNanos));
            return null; // that attempt has taken its work over
        }
        entries.put(work.vmId(), new Entry(work.vmId(), cause, work, nowNanos));
        return before == null || (before.work != null && before.work.key().equals(work.key()))
                ? null
                : before.work;
    }

    /**
     * Adds a VM with a start under way already: the engine was restarted meanwhile.
     *
     * @param failures attempts that failed before, as far as known
     */
    public void adopt(VmId vm, Cause cause, int failures, long nowNanos) {
        Entry entry = new Entry(vm, cause, null, nowNanos);
        entry.starting = true;
        entry.failures = failures;
        entries.put(vm, entry);
    }

    /**
     * Adds a VM after a failed attempt had taken its work over before a restart of the engine: it
     * is due, and takes no work over. Has no effect if it is queued, or if it was tried often
     * enough.
     *
     * @param failures attempts that failed before, as far as known
     */
    public void resume(VmId vm, Cause cause, int failures, long nowNanos) {
        if (cause == Cause.COLD_REBOOT && failures >= limits.coldReboots()) {
            return;
        }
        Entry entry = new Entry(vm, cause, null, nowNanos);
        entry.failures = failures;
        entries.putIfAbsent(vm, entry);
    }

    /** Number of VMs. */
    public int size() {
        return entries.size();
    }

    /** Whether a VM is in the queue. */
    public boolean contains(VmId vm) {
        return entries.containsKey(vm);
    }

    /** Time of the next useful check; empty while only events cause work. */
    public OptionalLong nextLookNanos(long nowNanos) {
        long least = Long.MAX_VALUE;
        for (Entry entry : entries.values()) {
            if (!entry.starting) {
                least = Math.min(least, entry.notBeforeNanos - nowNanos);
                long freed = entry.sinceNanos + limits.blocked().toNanos() - nowNanos;
                if (freed > 0) {
                    least = Math.min(least, freed);
                }
            }
        }
        return least == Long.MAX_VALUE
                ? OptionalLong.empty()
                : OptionalLong.of(nowNanos + Math.max(0, least));
    }

    /**
     * VMs to be started now. They count as starting until a call of {@link #ended} or {@link
     * #lost}.
     *
     * @param facts known state of a VM, null if it is gone
     * @param priorities how urgent a VM is
     * @param busy whether something else is under way with a VM: it waits
     */
    public Look look(
            Function<VmId, @Nullable VmFacts> facts,
            ToIntFunction<VmId> priorities,
            Predicate<VmId> busy,
            long nowNanos) {
        List<PendingWork> needless = new ArrayList<>(0);
        List<Entry> present = new ArrayList<>(entries.size());
        for (Entry entry : List.copyOf(entries.values())) {
            VmFacts vm = facts.apply(entry.vm);
            if (vm == null || (!entry.starting && !busy.test(entry.vm) && !isNeeded(entry, vm))) {
                entries.remove(entry.vm);
                if (entry.work != null && !entry.starting) {
                    needless.add(entry.work);
                }
            } else {
                entry.priority = priorities.applyAsInt(entry.vm);
                present.add(entry);
            }
        }
        present.sort(MOST_URGENT_FIRST);
        List<Start> starts = new ArrayList<>();
        int blocking = Integer.MIN_VALUE; // the most urgent of those that are not up
        for (Entry entry : present) {
            boolean waits =
                    blocking > entry.priority
                            && nowNanos - entry.sinceNanos < limits.blocked().toNanos();
            if (!waits
                    && !entry.starting
                    && nowNanos - entry.notBeforeNanos >= 0
                    && !busy.test(entry.vm)
                    && starts.size() < limits.atOnce()) {
                entry.starting = true;
                starts.add(
                        new Start(entry.vm, entry.cause, entry.failures == 0 ? entry.work : null));
            }
            blocking = Math.max(blocking, entry.priority);
        }
        return new Look(starts, needless);
    }

    /** Whether the reason for which a VM was queued still holds. */
    private static boolean isNeeded(Entry entry, VmFacts vm) {
        if (vm.status() != VmStatus.DOWN) {
            return false;
        }
        boolean failed = vm.runtime().exitStatus() == ExitStatus.ERROR;
        return switch (entry.cause) {
            case HIGH_AVAILABILITY -> vm.definition().highlyAvailable() && failed;
            // One that failed on its way down is left to the request that stopped it, unless it is
            // to
            // run in any case.
            case COLD_REBOOT -> !failed || entry.failures > 0 || vm.definition().highlyAvailable();
            case REQUEST, LEASE, POOL -> false;
        };
    }

    /** Outcome of the end of a start. */
    public enum Ending {
        /** The VM is up. */
        DONE,
        /** It is tried again later. */
        AGAIN,
        /** It is no longer tried. */
        GIVEN_UP,
        /** It was not of this queue. */
        UNKNOWN
    }

    /** A start has ended. */
    public Ending ended(VmId vm, boolean up, long nowNanos) {
        Entry entry = entries.get(vm);
        if (entry == null || !entry.starting) {
            return Ending.UNKNOWN;
        }
        if (up) {
            entries.remove(vm);
            return Ending.DONE;
        }
        entry.failures++;
        if (entry.cause == Cause.COLD_REBOOT && entry.failures >= limits.coldReboots()) {
            entries.remove(vm);
            return Ending.GIVEN_UP;
        }
        entry.starting = false;
        entry.notBeforeNanos =
                nowNanos
                        + (entry.failures < limits.shortRetries()
                                        ? limits.retry()
                                        : limits.longRetry())
                                .toNanos();
        return Ending.AGAIN;
    }

    /** A start that was handed out could not begin for a reason that passes; it is due again. */
    public void notBegun(VmId vm, long nowNanos) {
        Entry entry = entries.get(vm);
        if (entry != null && entry.starting) {
            entry.starting = false;
            entry.notBeforeNanos = nowNanos + limits.retry().toNanos();
        }
    }

    /** Another owner has the right to start it, or it is gone. */
    public void lost(VmId vm) {
        entries.remove(vm);
    }
}
