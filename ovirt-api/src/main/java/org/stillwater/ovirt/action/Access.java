package org.stillwater.ovirt.action;

import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.access.HostReach;
import org.stillwater.core.access.Role;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.HostAdministration;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.audit.AuditReader;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmView;

/**
 * Finds objects that a request names: an object that the caller may not read is unknown, and one
 * that is only readable must not be changed.
 */
final class Access {

    private final MonitoringEngine engine;

    Access(MonitoringEngine engine) {
        this.engine = engine;
    }

    FleetReader fleet() {
        return engine.fleet();
    }

    HostAdministration administration() {
        return engine.administration();
    }

    /** Entries of the audit log. */
    AuditReader events() {
        return engine.events();
    }

    /** Records an entry of the audit log that is never left out as a repeat. */
    AuditEntry record(
            AuditEvent event,
            @Nullable VmId vm,
            @Nullable HostId host,
            Map<String, String> details) {
        return engine.commandAccess().tell(event, vm, host, details);
    }

    /** A VM that the caller may act on. */
    VmView vm(Change change, String id) {
        VmView vm = seen(change, id);
        if (!change.caller().has(Role.OPERATOR, vm.id(), vm.definition().cluster())) {
            throw Refused.forbidden();
        }
        return vm;
    }

    /** A VM that the caller may read. */
    VmView seen(Change change, String id) {
        VmView vm = known(id);
        if (vm == null || !change.caller().has(Role.READER, vm.id(), vm.definition().cluster())) {
            throw Refused.notFound("VM", id);
        }
        return vm;
    }

    private @Nullable VmView known(String id) {
        try {
            return engine.fleet().vm(VmId.parse(id));
        } catch (IllegalArgumentException _) {
            return null;
        }
    }

    /** A host that the caller may act on. */
    HostView host(Change change, String id) {
        HostView host = visible(change, id);
        if (!change.caller().has(Role.ADMINISTRATOR, clusterOf(host))) {
            throw Refused.forbidden();
        }
        return host;
    }

    private HostView visible(Change change, String id) {
        HostView host = host(id);
        if (host == null || !change.caller().has(Role.READER, clusterOf(host))) {
            throw Refused.notFound("Host", id);
        }
        return host;
    }

    /** Whether a host encrypts VNC consoles; null if it does not report it. */
    @Nullable Boolean encryptsVnc(HostId id) {
        HostView host = engine.fleet().host(id);
        HostCapabilities capabilities = host == null ? null : host.state().capabilities();
        return capabilities == null ? null : capabilities.security().vncEncrypted();
    }

    private static ClusterId clusterOf(HostView host) {
        return host.state().definition().cluster();
    }

    private @Nullable HostView host(String id) {
        UUID uuid = uuid(id);
        return uuid == null ? null : engine.fleet().host(new HostId(uuid));
    }

    /** The host that a body names below these members by id or name; null if it names none. */
    @Nullable HostId named(Change change, String... path) {
        String id = below(change.body(), path, "id");
        if (id != null) {
            return visible(change, id).state().definition().id();
        }
        String name = below(change.body(), path, "name");
        if (name == null) {
            return null;
        }
        HostView host = engine.fleet().hostNamed(name);
        if (host == null || !change.caller().has(Role.READER, clusterOf(host))) {
            throw Refused.notFound("Host", name);
        }
        return host.state().definition().id();
    }

    private static @Nullable String below(Body body, String[] path, String member) {
        String[] whole = java.util.Arrays.copyOf(path, path.length + 1);
        whole[path.length] = member;
        return body.text(whole);
    }

    /**
     * The cluster that a body names by id or name, if it is the present one or the caller may read
     * it; null if it names none.
     */
    @Nullable ClusterId cluster(Change change, @Nullable ClusterId present) {
        Body body = change.body();
        String id = body.text("cluster", "id");
        String name = body.text("cluster", "name");
        if (id == null && name == null) {
            return null;
        }
        return engine.fleet().clusters().clusters().stream()
                .filter(each ->
                        each.id().equals(present) || change.caller().has(Role.READER, each.id()))
                .filter(each ->
                        id == null
                                ? each.name().equals(name)
                                : each.id().toString().equalsIgnoreCase(id))
                .findFirst()
                .orElseThrow(() -> Refused.notFound("Cluster", id == null ? name + "" : id))
                .id();
    }

    /**
     * Refuses a definition that reaches further into hosts than the caller may.
     *
     * @param before the stored definition; null for a new VM
     * @param verb action that a refusal names
     */
    static void refuseReach(
            Change change, @Nullable Definition before, Definition next, String verb) {
        String refusal =
                HostReach.refusal(
                        change.caller(),
                        next.definition().cluster(),
                        before == null ? null : before.specification(),
                        next.specification());
        if (refusal != null) {
            throw Refused.forbidden("Cannot %s: %s.".formatted(verb, refusal));
        }
    }

    static @Nullable UUID uuid(String text) {
        try {
            return VmId.parse(text).toUuid();
        } catch (IllegalArgumentException _) {
            return null;
        }
    }
}
