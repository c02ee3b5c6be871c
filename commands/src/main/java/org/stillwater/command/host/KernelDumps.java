package org.stillwater.command.host;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.host.KdumpDetection;
import org.stillwater.core.analysis.host.KdumpDetection.Verdict;
import org.stillwater.core.analysis.host.KdumpLimits;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.fence.KdumpListener;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.host.HostView;

/**
 * Listens to hosts that are to be fenced, if the settings enable it, and reports whether they write
 * a kernel dump (monitoring specification §3.6). Each message about a host appears once until the
 * host is released. Used by the deciding thread only.
 */
final class KernelDumps {

    /** Value by which a host reports kdump as enabled (protocol specification, capabilities). */
    private static final int ENABLED = 1;

    private final HostOperationLifecycle lifecycle;
    private final KdumpListener listener;
    private final KdumpLimits limits;
    private final Map<HostId, KdumpDetection> attended = new HashMap<>();
    private final Set<HostId> told = new HashSet<>();

    KernelDumps(HostOperationLifecycle lifecycle, KdumpListener listener, KdumpLimits limits) {
        this.lifecycle = lifecycle;
        this.listener = listener;
        this.limits = limits;
    }

    /** From now on its messages count, if they are to count at all. */
    void attend(HostId id) {
        HostState host = lifecycle.host(id);
        if (host != null
                && host.definition().traits().kdumpIntegration()
                && attended.putIfAbsent(id, KdumpDetection.begin(nanoTime())) == null) {
            listener.attend(id, host.definition().address());
        }
    }

    /** It is fenced, or need not be. */
    void leave(HostId id) {
        if (attended.remove(id) != null) {
            listener.leave(id);
        }
        told.remove(id);
    }

    /** Whether a host that is to be fenced may be. */
    Verdict look(FenceAttempt attempt) {
        HostId id = attempt.host();
        attend(id);
        KdumpDetection before = attended.get(id);
        HostState host = lifecycle.host(id);
        if (before == null || host == null) {
            return Verdict.NOT_DUMPING;
        }
        if (!before.isFound() && isSenseless(attempt, host)) {
            return Verdict.NOT_DUMPING;
        }
        KdumpDetection now = before.heard(listener.lastHeardNanos(id));
        attended.put(id, now);
        Verdict verdict = now.verdict(limits, listener.state(), nanoTime());
        if (verdict == Verdict.NOT_DUMPING) {
            tell(
                    attempt,
                    AuditEvent.KDUMP_FLOW_NOT_DETECTED_ON_VDS,
                    Map.of("seconds", Long.toString(limits.first().toSeconds())));
        }
        return verdict;
    }

    /** Whether a wait would give no information, which the audit log reports. */
    private boolean isSenseless(FenceAttempt attempt, HostState host) {
        HostCapabilities capabilities = host.capabilities();
        Integer status =
                capabilities == null ? Integer.valueOf(ENABLED) : capabilities.kdumpStatus();
        if (status == null || status != ENABLED) {
            tell(attempt, AuditEvent.KDUMP_DETECTION_NOT_CONFIGURED_ON_VDS, Map.of());
            return true;
        }
        String why =
                listener.state() instanceof KdumpListener.State.Deaf(String reason)
                        ? reason
                        : twin(host);
        if (why != null) {
            tell(attempt, AuditEvent.FENCE_KDUMP_LISTENER_IS_NOT_ALIVE, Map.of("reason", why));
        }
        return why != null;
    }

    /** Only the sender's address identifies the host of a message. */
    private @Nullable String twin(HostState host) {
        for (HostView other : lifecycle.context().fleet().hosts()) {
            if (!other.state().definition().id().equals(host.definition().id())
                    && other.state()
                            .definition()
                            .address()
                            .toLowerCase(Locale.ROOT)
                            .equals(host.definition().address().toLowerCase(Locale.ROOT))) {
                return "it has the same address as host " + other.state().definition().name();
            }
        }
        return null;
    }

    private void tell(FenceAttempt attempt, AuditEvent event, Map<String, String> details) {
        HostId id = attempt.host();
        if (told.add(id)) {
            lifecycle.context().vmAccess().audit(event, null, id, attempt.details(details));
        }
    }

    /** Reason why a dump counts as over, one clause for people. */
    String over(HostId id) {
        KdumpDetection known = attended.get(id);
        boolean quiet = known == null || nanoTime() - known.lastNanos() >= limits.quiet().toNanos();
        return quiet
                ? "it sent no message for %d s".formatted(limits.quiet().toSeconds())
                : "it has had %d s for that".formatted(limits.longest().toSeconds());
    }

    private long nanoTime() {
        return lifecycle.context().clock().nanoTime();
    }
}
