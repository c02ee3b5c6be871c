package org.stillwater.command.host;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;

/** State of a draining operation besides the operation itself. Used by the deciding thread only. */
final class Drain {

    private static final int LONGEST_REASON = 200;

    Operation operation;
    final HostId host;
    final long sinceNanos;

    /** Most VMs that were there to leave. */
    int total;

    int position;

    /** VMs with a migration that is about to become durable. */
    final Set<VmId> asked = new HashSet<>();

    /** VMs that migrate. */
    final Map<VmId, UUID> children = new HashMap<>();

    /** VMs that will not, and why. */
    final Map<VmId, String> stuck = new TreeMap<>();

    /** Those of them that will as soon as they are in another status. */
    final Set<VmId> passing = new HashSet<>();

    /** VMs without an operation that can begin now, with the time to ask again, monotonic. */
    final Map<VmId, Long> later = new HashMap<>();

    /** Why the last of them could not begin. */
    String laterBecause = "";

    /** VMs that the host did not launch, and that are to be started elsewhere. */
    final Set<VmId> restarted = new HashSet<>();

    /** Whether its pool moves the VMs now. */
    boolean evacuates;

    /** Why its pool refuses; null without a request or a refusal. */
    @Nullable String refusal;

    /** Time of the next request to its pool, monotonic; the first one is immediate. */
    long evacuateAtNanos;

    /** A drain that begins now. */
    Drain(Operation operation, long nowNanos) {
        this.operation = operation;
        this.host = Objects.requireNonNull(operation.host());
        this.sinceNanos = nowNanos;
        this.evacuateAtNanos = nowNanos;
    }

    /**
     * Text about the VMs that have not left.
     *
     * @param waiting how many of their migrations have not begun
     */
    String others(int waiting) {
        StringBuilder text = new StringBuilder();
        if (evacuates) {
            text.append(", the pool moves the others");
        } else if (refusal != null) {
            text.append("; the pool is asked again, because ").append(refusal);
        }
        count(text, children.size() - waiting, "migrate");
        count(text, waiting, "wait for a host that takes them");
        count(text, stuck.size(), "cannot leave");
        count(text, later.size(), "are asked again");
        if (!later.isEmpty()) {
            text.append(", because ").append(cut(laterBecause));
        }
        return text.toString();
    }

    private static void count(StringBuilder text, int vms, String what) {
        if (vms > 0) {
            text.append(", ").append(vms).append(' ').append(what);
        }
    }

    /**
     * Why VMs cannot leave.
     *
     * @param most VMs that are named
     * @param names the name of a VM
     */
    String reasons(int most, Function<VmId, String> names) {
        String told =
                stuck.entrySet().stream()
                        .limit(most)
                        .map(entry -> names.apply(entry.getKey()) + ": " + cut(entry.getValue()))
                        .collect(Collectors.joining("; "));
        int more = stuck.size() - most;
        return more > 0 ? "%s; and %d more".formatted(told, more) : told;
    }

    /** A reason in the length of a sentence. */
    static String cut(String reason) {
        return reason.length() <= LONGEST_REASON
                ? reason
                : reason.substring(0, LONGEST_REASON) + "…";
    }
}
