package org.stillwater.ovirt.action;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.access.Role;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostTraits;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.HostAddressInUse;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.host.OrderAnswer;

/**
 * Hosts, added, changed and removed: {@code /hosts}. The engine installs nothing on a host: VDSM
 * runs there already and takes the engine's certificate.
 */
final class HostChanges {

    private static final String NO_DEPLOYMENT =
            "the engine installs no software on hosts: VDSM must already run there";

    /** The elements of a host. */
    static final BodyRules RULES =
            BodyRules.of("host", "host", "edit Host")
                    .reference("cluster", "the cluster of the host")
                    .kept(
                            List.of(
                                    "name",
                                    "address",
                                    "port",
                                    "comment",
                                    "power_management/enabled",
                                    "power_management/kdump_detection"))
                    .fixed(
                            "power_management/automatic_pm_enabled",
                            "true",
                            "the engine decides about fencing, and saves no power")
                    .unsupported(
                            List.of(
                                    "power_management/agents",
                                    "power_management/address",
                                    "power_management/type",
                                    "power_management/username",
                                    "power_management/password",
                                    "power_management/options",
                                    "power_management/pm_proxies",
                                    "agents"),
                            "fence agents are added at /hosts/{id}/fenceagents")
                    .ignored(
                            "description",
                            "a host has a comment; oVirt ignores its description too")
                    .unsupported(
                            "os/custom_kernel_cmdline",
                            "the engine does not set arguments of kernels")
                    .fixed("spm/priority", "5", "the engine does not manage storage")
                    .fixed("protocol", "stomp", "the engine speaks STOMP with hosts")
                    .fixed("external_status", "ok", "the engine keeps no status of others")
                    .fixed("vgpu_placement", "consolidated", "the engine places no virtual GPUs")
                    .unsupported(
                            "display", "the address of a console is the one that its host reports")
                    .unsupported(
                            List.of(
                                    "external_host_provider",
                                    "external_network_provider_configurations"),
                            "the engine has no external providers")
                    .ignored(
                            List.of(
                                    "root_password",
                                    "ssh",
                                    "override_iptables",
                                    "reboot_after_installation"),
                            NO_DEPLOYMENT + "; the engine keeps no password")
                    .ignored("id", "the path names it")
                    .ignored(
                            List.of(
                                    "auto_numa_status",
                                    "certificate",
                                    "cpu",
                                    "cpu_units",
                                    "device_passthrough",
                                    "hardware_information",
                                    "hosted_engine",
                                    "iscsi",
                                    "kdump_status",
                                    "ksm",
                                    "libvirt_version",
                                    "max_scheduling_memory",
                                    "memory",
                                    "network_operation_in_progress",
                                    "numa_supported",
                                    "os/reported_kernel_cmdline",
                                    "os/type",
                                    "os/version",
                                    "ovn_configured",
                                    "power_management/status",
                                    "reinstallation_required",
                                    "se_linux",
                                    "spm/status",
                                    "status",
                                    "status_detail",
                                    "summary",
                                    "transparent_huge_pages",
                                    "transparent_hugepages",
                                    "type",
                                    "update_available",
                                    "version"),
                            "only read: the host reports it")
                    .ignored(
                            List.of(
                                    "affinity_labels",
                                    "devices",
                                    "hooks",
                                    "katello_errata",
                                    "network_attachments",
                                    "nics",
                                    "numa_nodes",
                                    "permissions",
                                    "statistics",
                                    "storage_connection_extensions",
                                    "storages",
                                    "tags",
                                    "unmanaged_networks"),
                            "it has its own collection; oVirt ignores it here too")
                    .ignored(
                            List.of("os/boot", "os/cmdline", "os/initrd", "os/kernel"),
                            "of a VM; oVirt ignores it here too")
                    .table();

    private static final String ADD = "add Host";
    private static final String EDIT = "edit Host";
    private static final String REMOVE = "remove Host";
    private static final int MOST_PORT = 65_535;
    private static final Duration LOOK = Duration.ofMillis(5);

    /** DNS names and IP addresses, an IPv6 zone included. */
    private static final Pattern ADDRESS = Pattern.compile("[A-Za-z0-9_.:%-]{1,255}");

    private final Access access;
    private final ActionLimits limits;

    HostChanges(Access access, ActionLimits limits) {
        this.access = access;
        this.limits = limits;
    }

    Outcome add(Change change) {
        Body body = RULES.read(change.body(), ADD);
        for (String member : new String[] {"name", "address"}) {
            if (body.text(member) == null) {
                throw Refused.incomplete("Host [%s] is required for add.".formatted(member));
            }
        }
        ClusterId named = access.cluster(change, null);
        ClusterId cluster = named == null ? ClusterId.DEFAULT : named;
        if (!change.caller().has(Role.ADMINISTRATOR, cluster)) {
            throw Refused.forbidden();
        }
        HostDefinition host =
                defined(
                        body,
                        new HostDefinition(
                                new HostId(UUID.randomUUID()),
                                "new",
                                "new",
                                HostDefinition.DEFAULT_PORT,
                                cluster),
                        cluster,
                        ADD);
        try {
            if (!access.administration().addHost(host)) {
                throw Refused.conflict(
                        "Cannot add Host. The Host name is already in use, please choose a unique"
                                + " name and try again.");
            }
        } catch (StoreUnavailable e) {
            throw VmActions.unavailable(e);
        } catch (HostAddressInUse e) {
            throw inUse(ADD, e);
        } catch (IllegalArgumentException e) {
            throw Refused.conflict("Cannot add Host: " + Operations.sentence(e.getMessage() + ""));
        }
        return Outcome.showing(201, "hosts/" + host.id());
    }

    Outcome update(Change change) {
        HostView host = access.host(change, change.at(1));
        Body body = RULES.read(change, EDIT);
        HostDefinition present = host.state().definition();
        String name = body.text("name");
        if (name != null && !name.equals(present.name())) {
            throw Refused.conflict(
                    "Cannot edit Host: a host keeps its name, which is %s."
                            .formatted(present.name()));
        }
        ClusterId cluster = access.cluster(change, present.cluster());
        if (cluster != null && !change.caller().has(Role.ADMINISTRATOR, cluster)) {
            throw Refused.forbidden();
        }
        HostDefinition next =
                defined(body, present, cluster == null ? present.cluster() : cluster, EDIT);
        String refusal;
        try {
            refusal = access.administration().updateHost(next);
        } catch (StoreUnavailable e) {
            throw VmActions.unavailable(e);
        } catch (HostAddressInUse e) {
            throw inUse(EDIT, e);
        } catch (IllegalArgumentException e) {
            throw Refused.conflict("Cannot edit Host: " + Operations.sentence(e.getMessage() + ""));
        }
        if (refusal != null) {
            throw Refused.conflict("Cannot edit Host: " + Operations.sentence(refusal));
        }
        awaitFollowed(next);
        return Outcome.showing(200, "hosts/" + next.id());
    }

    private static Refused inUse(String verb, HostAddressInUse e) {
        return Refused.conflict(
                "Cannot %s. The address is already in use by host %s."
                        .formatted(verb, e.owner().name()));
    }

    /** Its monitor follows in a moment; the answer contains the change then. */
    private void awaitFollowed(HostDefinition next) {
        for (long looks = limits.ordered().dividedBy(LOOK); looks > 0; looks--) {
            HostView now = access.fleet().host(next.id());
            boolean interrupted = Thread.currentThread().isInterrupted();
            if (now == null || now.state().definition().equals(next) || interrupted) {
                return;
            }
            LockSupport.parkNanos(LOOK.toNanos());
        }
    }

    Outcome remove(Change change) {
        HostView host = access.host(change, change.at(1));
        OrderAnswer answer;
        try {
            answer =
                    access.administration()
                            .removeHost(host.state().definition().id(), limits.ended());
        } catch (StoreUnavailable e) {
            throw VmActions.unavailable(e);
        } catch (TimeoutException _) {
            throw Refused.unavailable(
                    "The host was not removed, because its monitor is busy; try again.");
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // the server is stopping
            throw Refused.unavailable("The engine is stopping.");
        }
        return switch (answer) {
            case null -> throw Refused.notFound("Host", change.at(1));
            case OrderAnswer.Refused refused ->
                    throw Refused.conflict(
                            "Cannot %s: %s".formatted(REMOVE, Operations.sentence(refused.why())));
            case OrderAnswer.Followed _ -> Operations.removed(change, null);
        };
    }

    /** A host as a body has it, applied to the present one. */
    static HostDefinition defined(
            Body body, HostDefinition before, ClusterId cluster, String verb) {
        String name = body.text("name");
        String address = body.text("address");
        if (address != null && !ADDRESS.matcher(address).matches()) {
            throw Refused.invalid("address is a DNS name or an IP address");
        }
        HostTraits traits = before.traits();
        String comment = body.raw("comment");
        if (comment != null && comment.length() > HostTraits.LONGEST_COMMENT) {
            throw Refused.invalid(
                    "comment has at most %d characters".formatted(HostTraits.LONGEST_COMMENT));
        }
        Boolean managed = body.flag("power_management", "enabled");
        Boolean dumps = body.flag("power_management", "kdump_detection");
        try {
            return new HostDefinition(
                    before.id(),
                    name == null ? before.name() : name,
                    address == null ? before.address() : address,
                    port(body.number("port"), before.port()),
                    cluster,
                    new HostTraits(
                            managed == null ? traits.powerManagement() : managed,
                            dumps == null ? traits.kdumpIntegration() : dumps,
                            traits.storagePoolManager(),
                            traits.olderAgent(),
                            comment == null ? traits.comment() : comment));
        } catch (IllegalArgumentException e) {
            throw Refused.conflict(
                    "Cannot %s: %s".formatted(verb, Operations.sentence(e.getMessage() + "")));
        }
    }

    private static int port(@Nullable Long port, int before) {
        if (port == null) {
            return before;
        }
        if (port < 1 || port > MOST_PORT) {
            throw Refused.invalid("port is 1 to %d, not %d".formatted(MOST_PORT, port));
        }
        return port.intValue();
    }
}
