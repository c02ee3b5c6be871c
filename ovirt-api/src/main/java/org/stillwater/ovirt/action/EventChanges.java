package org.stillwater.ovirt.action;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.access.Role;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.ovirt.fleet.Dismissals;
import org.stillwater.ovirt.fleet.ExternalEvents;

/** Events that other programs add, and events that users dismiss. */
final class EventChanges {

    private static final int LONGEST = AuditEntry.LONGEST_VALUE;
    private static final int LONGEST_ORIGIN = 255;

    private final Access access;

    EventChanges(Access access) {
        this.access = access;
    }

    Outcome add(Change change) {
        if (!change.caller().has(Role.OPERATOR)) {
            throw Refused.forbidden();
        }
        Body body = change.body();
        String origin = required(body, "origin", LONGEST_ORIGIN);
        AuditEvent event = event(required(body, "severity", LONGEST_ORIGIN));
        Long custom = body.number("custom_id");
        if (custom == null) {
            throw Refused.incomplete("Event [custom_id] is required for add.");
        }
        String message = required(body, "description", LONGEST);
        Map<String, String> details = new HashMap<>();
        details.put("message", message);
        details.put("origin", origin);
        details.put("customId", custom.toString());
        details.put("user", change.caller().name());
        details.put(AuditEntry.CORRELATION, change.correlation());
        for (String subject : ExternalEvents.SUBJECTS.keySet()) {
            String id = body.text(subject, "id");
            if (id != null) {
                details.put(ExternalEvents.about(subject), id);
            }
        }
        String correlation = body.text("correlation_id");
        if (correlation != null) {
            details.put(AuditEntry.CORRELATION, correlation);
        }
        String data = body.text("custom_data");
        if (data != null) {
            details.put("customData", data);
        }
        AuditEntry entry = access.record(event, vm(change), host(change), details);
        return Outcome.showing(201, "events/" + entry.id());
    }

    private static String required(Body body, String name, int longest) {
        String text = body.text(name);
        if (text == null) {
            throw Refused.incomplete("Event [%s] is required for add.".formatted(name));
        }
        if (text.length() > longest) {
            throw Refused.invalid("%s has at most %d characters".formatted(name, longest));
        }
        return text;
    }

    private static AuditEvent event(String severity) {
        return switch (severity) {
            case "normal" -> AuditEvent.EXTERNAL_EVENT_NORMAL;
            case "warning" -> AuditEvent.EXTERNAL_EVENT_WARNING;
            case "error" -> AuditEvent.EXTERNAL_EVENT_ERROR;
            case "alert" -> AuditEvent.EXTERNAL_ALERT;
            default ->
                    throw Refused.invalid(
                            "severity is normal, warning, error or alert, not "
                                    + Refused.shortened(severity));
        };
    }

    private @Nullable VmId vm(Change change) {
        String id = change.body().text("vm", "id");
        if (id == null) {
            return null;
        }
        UUID uuid = Access.uuid(id);
        VmView vm = uuid == null ? null : access.fleet().vm(VmId.of(uuid));
        if (vm == null) {
            throw Refused.notFound("VM", id);
        }
        return vm.id();
    }

    private @Nullable HostId host(Change change) {
        String id = change.body().text("host", "id");
        if (id == null) {
            return null;
        }
        UUID uuid = Access.uuid(id);
        HostView host = uuid == null ? null : access.fleet().host(new HostId(uuid));
        if (host == null) {
            throw Refused.notFound("Host", id);
        }
        return host.state().definition().id();
    }

    /**
     * Takes an event out of the lists of this API. The log is only appended to: an entry then names
     * the user, and the lists obey it.
     */
    Outcome dismiss(Change change, String id) {
        if (!change.caller().has(Role.READER) || !isShown(id)) {
            throw Refused.notFound("Event", id);
        }
        if (!change.caller().has(Role.OPERATOR)) {
            throw Refused.forbidden();
        }
        tell(change, AuditEvent.EVENT_DISMISSED, Map.of(Dismissals.EVENT, id));
        return Operations.removed(change, null);
    }

    private boolean isShown(String id) {
        return Dismissals.shown(access.events().recent()).stream()
                .anyMatch(event -> Long.toString(event.id()).equals(id));
    }

    /** Puts all events back that were taken out. */
    Outcome restore(Change change) {
        if (!change.caller().has(Role.OPERATOR)) {
            throw Refused.forbidden();
        }
        tell(change, AuditEvent.EVENTS_RESTORED, Map.of());
        return Operations.removed(change, null);
    }

    private void tell(Change change, AuditEvent event, Map<String, String> more) {
        Map<String, String> details = new HashMap<>(more);
        details.put("user", change.caller().name());
        details.put(AuditEntry.CORRELATION, change.correlation());
        AuditEntry _ = access.record(event, null, null, details);
    }
}
