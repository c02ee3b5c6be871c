package org.stillwater.ovirt.action;

import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.host.HostOperations;
import org.stillwater.command.operation.CommandEngine;
import org.stillwater.command.pool.PoolKeeper;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.tag.TagRegistry;
import org.stillwater.ovirt.model.Action;
import org.stillwater.ovirt.model.Fault;
import org.stillwater.ovirt.resource.Text;

/**
 * All changes of the API, by path and method. Answers wait for their results, on the caller's
 * thread and for a bounded time. Thread-safe.
 *
 * <p>It is long because it is a table with a row for each path and method.
 */
public final class Changes implements AutoCloseable {

    private static final List<String> VM_ACTIONS =
            List.of(
                    "start",
                    "stop",
                    "shutdown",
                    "suspend",
                    "reboot",
                    "reset",
                    "migrate",
                    "cancelmigration",
                    "detach",
                    "ticket");

    private static final List<String> HOST_ACTIONS =
            List.of("activate", "deactivate", "fence", "refresh");

    private static final List<String> NIC_ACTIONS = List.of("activate", "deactivate");

    private static final List<String> CONSOLE_ACTIONS =
            List.of("proxyticket", "remoteviewerconnectionfile", "ticket");

    private final ActionLimits limits;
    private final HostActions hosts;
    private final EventChanges events;
    private final @Nullable Commanded commanded;
    private final Routes routes;

    /** Handlers that exist only if the engine acts on the hosts that it watches. */
    private record Commanded(
            Operations operations,
            VmActions vms,
            VmChanges definitions,
            PoolChanges pools,
            JobActions jobs,
            DefinitionEdits edits,
            NicChanges nics,
            DiskAttachmentChanges disks,
            CdromChanges cdroms,
            WatchdogChanges watchdogs,
            ConsoleChanges consoles,
            AffinityChanges affinity) {}

    /**
     * Services that commands need.
     *
     * @param engine runs them
     * @param hosts operations on hosts
     * @param pools keeps pools
     * @param signer signs tickets for proxies of consoles
     */
    public record Parts(
            CommandEngine engine,
            HostOperations hosts,
            PoolKeeper pools,
            ProxyTicketSigner signer) {}

    /**
     * Services of the server that the administration of hosts and clusters needs.
     *
     * @param agents how the power of hosts is switched
     * @param clusterGone receives removed clusters
     * @param tags tags of VMs and hosts
     */
    public record Administration(
            FenceAgentAccess agents, Consumer<ClusterId> clusterGone, TagRegistry tags) {}

    /**
     * Changes of one engine.
     *
     * @param parts null if the engine only watches: then VMs cannot be acted on
     */
    public Changes(
            MonitoringEngine engine,
            @Nullable Parts parts,
            DefinitionServices services,
            HostPower power,
            Administration administration,
            ActionLimits limits) {
        this.limits = limits;
        Access access = new Access(engine);
        Operations operations = parts == null ? null : new Operations(parts.engine(), limits);
        hosts =
                new HostActions(
                        access, limits, operations, parts == null ? null : parts.hosts(), power);
        events = new EventChanges(access);
        commanded =
                parts == null || operations == null
                        ? null
                        : commanded(access, operations, parts, services);
        routes =
                routes(
                        new FenceAgentChanges(access, administration.agents(), limits.ended()),
                        new HostChanges(access, limits),
                        new ClusterChanges(access, administration.clusterGone()),
                        new TagChanges(access, administration.tags(), limits.mostTags()));
    }

    private static Commanded commanded(
            Access access, Operations operations, Parts parts, DefinitionServices services) {
        DefinitionEdits edits = new DefinitionEdits(operations, services);
        DevicePlugs plugs = new DevicePlugs(operations);
        VmActions actions = new VmActions(access, operations, parts.pools(), services);
        return new Commanded(
                operations,
                actions,
                new VmChanges(access, operations, services, parts.pools()),
                new PoolChanges(access, operations, services, parts.pools()),
                new JobActions(access, operations),
                edits,
                new NicChanges(access, edits, plugs),
                new DiskAttachmentChanges(access, edits, plugs),
                new CdromChanges(access, edits, operations),
                new WatchdogChanges(access, edits),
                new ConsoleChanges(access, edits, actions, parts.signer()),
                new AffinityChanges(
                        access,
                        parts.engine().definitions(),
                        operations.limits().mostGroupMembers()));
    }

    /** Changes of parts of other objects, and of objects that are neither VMs nor pools. */
    private Routes routes(
            FenceAgentChanges agents,
            HostChanges managed,
            ClusterChanges clusters,
            TagChanges tags) {
        String nics = "vms/{id}/nics";
        String disks = "vms/{id}/diskattachments";
        String watchdogs = "vms/{id}/watchdogs";
        String consoles = "vms/{id}/graphicsconsoles";
        String groups = "clusters/{id}/affinitygroups";
        Routes all =
                new Routes()
                        .operation("POST", nics, it -> commanded().nics().add(it))
                        .operation("PUT", nics + "/{id}", it -> commanded().nics().update(it))
                        .operation("DELETE", nics + "/{id}", it -> commanded().nics().remove(it))
                        .action(
                                nics + "/{id}/activate",
                                true,
                                it -> commanded().nics().plug(it, true))
                        .action(
                                nics + "/{id}/deactivate",
                                true,
                                it -> commanded().nics().plug(it, false))
                        .action(
                                disks + "/{id}/activate",
                                true,
                                it -> commanded().disks().plug(it, true))
                        .action(
                                disks + "/{id}/deactivate",
                                true,
                                it -> commanded().disks().plug(it, false))
                        .operation("POST", disks, it -> commanded().disks().add(it))
                        .operation("PUT", disks + "/{id}", it -> commanded().disks().update(it))
                        .operation("DELETE", disks + "/{id}", it -> commanded().disks().remove(it))
                        .operation(
                                "PUT",
                                "vms/{id}/cdroms/{id}",
                                it -> commanded().cdroms().update(it))
                        .operation("POST", watchdogs, it -> commanded().watchdogs().add(it))
                        .operation(
                                "PUT",
                                watchdogs + "/{id}",
                                it -> commanded().watchdogs().update(it))
                        .operation(
                                "DELETE",
                                watchdogs + "/{id}",
                                it -> commanded().watchdogs().remove(it))
                        .operation("POST", consoles, it -> commanded().consoles().add(it))
                        .operation(
                                "DELETE",
                                consoles + "/{id}",
                                it -> commanded().consoles().remove(it))
                        .action(
                                consoles + "/{id}/ticket",
                                true,
                                it -> commanded().consoles().ticket(it))
                        .action(
                                consoles + "/{id}/proxyticket",
                                false,
                                it -> commanded().consoles().proxyTicket(it))
                        .action(
                                consoles + "/{id}/remoteviewerconnectionfile",
                                true,
                                it -> commanded().consoles().viewerFile(it))
                        .add("POST", "hosts", managed::add)
                        .add("PUT", "hosts/{id}", managed::update)
                        .add("DELETE", "hosts/{id}", managed::remove)
                        .add("POST", "hosts/{id}/fenceagents", agents::add)
                        .add("PUT", "hosts/{id}/fenceagents/{id}", agents::update)
                        .add("DELETE", "hosts/{id}/fenceagents/{id}", agents::remove)
                        .add("POST", "tags", tags::add)
                        .add("PUT", "tags/{id}", tags::update)
                        .add("DELETE", "tags/{id}", tags::remove)
                        .add("POST", "vms/{id}/tags", tags::assignToVm)
                        .add("DELETE", "vms/{id}/tags/{id}", tags::takeFromVm)
                        .add("POST", "hosts/{id}/tags", tags::assignToHost)
                        .add("DELETE", "hosts/{id}/tags/{id}", tags::takeFromHost)
                        .add("POST", "clusters", clusters::add)
                        .add("PUT", "clusters/{id}", clusters::update)
                        .add("DELETE", "clusters/{id}", clusters::remove)
                        .add("POST", groups, it -> commanded().affinity().add(it))
                        .add("PUT", groups + "/{id}", it -> commanded().affinity().update(it))
                        .add("DELETE", groups + "/{id}", it -> commanded().affinity().remove(it))
                        .add("POST", groups + "/{id}/vms", it -> commanded().affinity().addVm(it))
                        .add(
                                "DELETE",
                                groups + "/{id}/vms/{id}",
                                it -> commanded().affinity().removeVm(it))
                        .add(
                                "POST",
                                groups + "/{id}/hosts",
                                it -> commanded().affinity().refuseHost(it));
        return UnsupportedChanges.routes(all);
    }

    /**
     * The file for a console's viewer that a GET requests, with a password that is set now.
     *
     * @return null if the path is of no console, or its caller may only read it
     */
    @Nullable Text viewer(Change change) {
        boolean console =
                change.path().size() == 4
                        && change.at(0).equals("vms")
                        && change.at(2).equals("graphicsconsoles");
        return console && commanded != null ? commanded.consoles().viewer(change) : null;
    }

    /** How much a request may send. */
    ActionLimits limits() {
        return limits;
    }

    @Override
    public void close() {
        if (commanded != null) {
            commanded.operations().close();
        }
    }

    /** Names of the actions on an entity of a collection, by the collection's path. */
    public List<String> actions(String collection) {
        return switch (collection) {
            case "vms" -> commanded == null ? List.of() : VM_ACTIONS;
            case "hosts" -> HOST_ACTIONS;
            case "vmpools" -> commanded == null ? List.of() : List.of("allocatevm");
            case "jobs" -> commanded == null ? List.of() : List.of("clear", "end");
            case "graphicsconsoles" -> commanded == null ? List.of() : CONSOLE_ACTIONS;
            case "nics" -> commanded == null ? List.of() : NIC_ACTIONS;
            default -> List.of();
        };
    }

    /** Methods that change the object at a path. */
    List<String> methods(List<String> path) {
        boolean one = path.size() == 2;
        if (path.isEmpty() || path.size() > 2) {
            return routes.methods(path);
        }
        return switch (path.getFirst()) {
            case "vms", "vmpools" -> one ? List.of("PUT", "DELETE") : List.of("POST");
            case "events" -> List.of(one ? "DELETE" : "POST");
            default -> routes.methods(path);
        };
    }

    /**
     * Executes a change.
     *
     * @return the outcome; null if this path has no changeable object
     * @throws Refused if it is not done, and was no action; an action that is not done is answered
     *     with the fault in it
     */
    public @Nullable Outcome make(Change change) {
        boolean action = isAction(change);
        try {
            QueryRules.check(change.method(), change.path(), change.parameters());
            Outcome routed = routes.make(change);
            if (routed != null) {
                return routed;
            }
            return switch (change.method()) {
                case "POST" -> post(change);
                case "PUT" -> put(change);
                case "DELETE" -> delete(change);
                case "GET" -> get(change);
                default -> null;
            };
        } catch (Refused e) {
            if (!action) {
                throw e;
            }
            return failed(e);
        }
    }

    /** An action that is not done. */
    static Outcome failed(Refused e) {
        return Outcome.of(e.status(), "action", Action.failed(new Fault(e.detail(), e.reason())));
    }

    /** Actions are answered with actions, even those that fail. */
    private boolean isAction(Change change) {
        return isAction(change.method(), change.path());
    }

    /** Whether a request is one for an action, with any body. */
    boolean isAction(String method, List<String> path) {
        int length = path.size();
        return method.equals("POST")
                && !routes.isOfEntity(method, path)
                && (length >= 3
                        || (length == 2 && path.equals(List.of("events", "undelete")))
                        || (length == 1 && path.getFirst().equals("reloadconfigurations")));
    }

    /**
     * Whether a change, if it is made, has an audit event of its own: changes that become
     * operations on a VM. The return of a VM to its pool is no operation.
     */
    boolean tellsOfItself(String method, List<String> path) {
        if (path.isEmpty() || !path.getFirst().equals("vms")) {
            return false;
        }
        if (routes.isAudited(method, path)) {
            return true;
        }
        return switch (path.size()) {
            case 1 -> method.equals("POST");
            case 2 -> method.equals("PUT") || method.equals("DELETE");
            case 3 ->
                    method.equals("POST")
                            && VM_ACTIONS.contains(path.get(2))
                            && !path.get(2).equals("detach");
            default -> false;
        };
    }

    private Commanded commanded() {
        if (commanded == null) {
            throw Refused.unsupported(
                    "Cannot do this: the engine only watches (stillwater.commands.enabled is"
                            + " false).");
        }
        return Objects.requireNonNull(commanded);
    }

    private @Nullable Outcome post(Change change) {
        String first = change.path().isEmpty() ? "" : change.at(0);
        return switch (change.path().size()) {
            case 1 ->
                    switch (first) {
                        case "vms" -> commanded().definitions().add(change);
                        case "vmpools" -> commanded().pools().add(ofPool(change));
                        case "events" -> {
                            Body _ = WritableBodies.EVENT.read(change.body());
                            yield events.add(change);
                        }
                        case "reloadconfigurations" ->
                                throw Refused.unsupported(
                                        "Cannot do this: settings are read when the engine"
                                                + " starts.");
                        default -> null;
                    };
            case 2 ->
                    first.equals("events") && change.at(1).equals("undelete")
                            ? events.restore(ofAction(change))
                            : null;
            case 3 -> act(change, first, change.at(1), change.at(2));
            case 5 -> unmanaged(change);
            default -> null;
        };
    }

    private @Nullable Outcome act(Change change, String first, String id, String action) {
        return switch (first) {
            case "vms" ->
                    VmActions.isAction(action)
                            ? commanded().vms().act(ofAction(change), id, action)
                            : null;
            case "hosts" ->
                    HostActions.isAction(action) ? hosts.act(ofAction(change), id, action) : null;
            case "vmpools" ->
                    action.equals("allocatevm")
                            ? commanded().pools().allocate(ofAction(change), id)
                            : null;
            case "jobs" ->
                    action.equals("clear") || action.equals("end")
                            ? commanded().jobs().act(ofAction(change), id, action)
                            : null;
            default -> null;
        };
    }

    // Bodies of something else are refused before anything is done, and nonsense in them too.

    static Change ofAction(Change change) {
        List<String> path = change.path();
        String collection = path.get(Math.max(0, path.size() - 3));
        BodyRules parameters = WritableBodies.action(collection, path.getLast());
        if (parameters == null) {
            throw new IllegalStateException("no table of parameters: " + String.join("/", path));
        }
        Body _ = parameters.read(change.body());
        Boolean _ = change.async();
        return change;
    }

    private static Change ofPool(Change change) {
        Body _ =
                WritableBodies.POOL.read(
                        change, change.method().equals("POST") ? "add VM-Pool" : "edit VM-Pool");
        return change;
    }

    /** Actions on parts of objects that the engine does not manage. */
    private @Nullable Outcome unmanaged(Change change) {
        boolean switched = change.at(4).equals("activate") || change.at(4).equals("deactivate");
        if (!switched) {
            return null;
        }
        if (change.at(0).equals("datacenters") && change.at(2).equals("storagedomains")) {
            throw Refused.unsupported(
                    "Cannot %s Storage Domain: the engine does not manage storage."
                            .formatted(change.at(4)));
        }
        return null;
    }

    private @Nullable Outcome put(Change change) {
        if (change.path().size() != 2) {
            return null;
        }
        return switch (change.at(0)) {
            case "vms" -> updateVm(change);
            case "vmpools" -> commanded().pools().update(ofPool(change), change.at(1));
            default -> null;
        };
    }

    /** Applies the body to a definition that no device is added to meanwhile. */
    private Outcome updateVm(Change change) {
        UUID vm = Access.uuid(change.at(1));
        return vm == null
                ? commanded().definitions().update(change, change.at(1))
                : commanded()
                        .edits()
                        .alone(
                                VmId.of(vm),
                                "edit VM",
                                () -> commanded().definitions().update(change, change.at(1)));
    }

    private @Nullable Outcome delete(Change change) {
        if (change.path().size() != 2) {
            return null;
        }
        return switch (change.at(0)) {
            case "vms" -> commanded().definitions().remove(change, change.at(1));
            case "vmpools" -> commanded().pools().remove(change, change.at(1));
            case "events" -> events.dismiss(change, change.at(1));
            default -> null;
        };
    }

    /** Status of an action that was answered before its end. */
    private @Nullable Outcome get(Change change) {
        if (change.path().size() != 4) {
            return null;
        }
        String action = change.at(2);
        return switch (change.at(0)) {
            case "vms" ->
                    VmActions.isAction(action)
                            ? commanded().vms().status(change, change.at(1), action, change.at(3))
                            : null;
            case "hosts" ->
                    HostActions.isAction(action)
                            ? hosts.status(change, change.at(1), action, change.at(3))
                            : null;
            default -> null;
        };
    }
}
