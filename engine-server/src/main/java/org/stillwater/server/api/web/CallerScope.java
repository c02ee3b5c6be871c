package org.stillwater.server.api.web;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.DataCentreId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.server.security.AccessRecheck;
import org.stillwater.server.security.Callers;
import org.stillwater.server.security.Rejected;

/**
 * The VMs and hosts that a caller may see and act upon. Only a caller that sees the whole fleet
 * also sees removed VMs and hosts, because their cluster is not known any more; others see what
 * became of their own requests. Thread-safe.
 */
@Component
public class CallerScope {

    private final FleetReader fleet;
    private final Callers callers;

    public CallerScope(FleetReader fleet, Callers callers) {
        this.fleet = fleet;
        this.callers = callers;
    }

    public Caller caller() {
        return callers.current();
    }

    /** The caller, to be checked again while a long answer continues. */
    public AccessRecheck standing() {
        return callers.standing();
    }

    public boolean has(Role role, VmId id, Caller caller) {
        if (caller.has(role)) {
            return true;
        }
        VmView vm = fleet.vm(id);
        return vm != null && caller.has(role, id, vm.definition().cluster());
    }

    public boolean has(Role role, HostId id, Caller caller) {
        if (caller.has(role)) {
            return true;
        }
        HostView host = fleet.host(id);
        return host != null && caller.has(role, host.state().definition().cluster());
    }

    /**
     * Whether an operation is about something on which the caller has the role. An operation about
     * a VM that is not there, because it was removed or is still to be added, is also its
     * requester's: no cluster can decide, and the requester needs the result.
     */
    public boolean has(Role role, Operation operation, Caller caller) {
        VmId vm = operation.vm();
        HostId host = operation.host();
        if (vm == null) {
            return host != null && has(role, host, caller);
        }
        return has(role, vm, caller)
                || (fleet.vm(vm) == null && operation.origin().requestedBy().equals(caller.name()));
    }

    /**
     * Whether it concerns an object that the caller may see. Only a reader of all objects sees an
     * entry without an object.
     */
    public boolean sees(@Nullable VmId vm, @Nullable HostId host, Caller caller) {
        if (caller.has(Role.READER)) {
            return true;
        }
        return vm != null
                ? has(Role.READER, vm, caller)
                : host != null && has(Role.READER, host, caller);
    }

    /** Refuses an operation that the caller may not see, or may only see. */
    public void check(Operation operation, boolean acting) {
        Caller caller = caller();
        if (!has(Role.READER, operation, caller)) {
            throw ApiException.notFound("There is no operation " + operation.id() + ".");
        }
        Role needed = operation.vm() == null ? Role.ADMINISTRATOR : Role.OPERATOR;
        if (acting && !has(needed, operation, caller)) {
            throw Rejected.forbidden("This takes the role of an " + needed.label() + " there.");
        }
    }

    /** Refuses a VM that the caller may not see, or may only see. */
    public void check(VmId vm, boolean acting) {
        Caller caller = caller();
        if (fleet.vm(vm) == null && caller.has(Role.READER)) {
            return; // the handler reports that it does not exist, or its former state
        }
        if (!has(Role.READER, vm, caller)) {
            throw ApiException.notFound("There is no VM " + vm + ".");
        }
        if (acting && !has(Role.OPERATOR, vm, caller)) {
            throw Rejected.forbidden("This takes the role of an operator of VM " + vm + ".");
        }
    }

    /** Refuses a host that the caller may not see. */
    void check(HostId host) {
        if (!has(Role.READER, host, caller())) {
            throw ApiException.notFound("There is no host " + host + ".");
        }
    }

    /**
     * The host that a filter names by id or name. An id need not be that of a present host: records
     * of a removed host stay.
     *
     * @throws ApiException 404 for a name that no host has; the name of a host that the caller may
     *     not see is answered in the same words
     */
    public HostId host(String text) {
        HostView named = fleet.hostNamed(text);
        if (named != null && caller().has(Role.READER, named.state().definition().cluster())) {
            return named.state().definition().id();
        }
        if (!Ids.isId(text)) {
            throw ApiException.notFound("There is no host " + Ids.shortened(text) + ".");
        }
        return Ids.host(text);
    }

    /**
     * The VM that a path, a filter or a body names by id or name.
     *
     * @throws ApiException as of {@link Ids#vms}
     */
    public VmId vm(String text) {
        return Ids.vms(fleet, caller(), List.of(text)).getFirst();
    }

    /**
     * The VMs that the member {@code vms} of a body names by ids or names.
     *
     * @throws ApiException as of {@link Ids#vms}; 400 if it names one twice
     */
    public List<VmId> distinctVms(List<String> texts) {
        List<VmId> vms = Ids.vms(fleet, caller(), texts);
        Set<VmId> seen = new HashSet<>();
        for (VmId vm : vms) {
            if (!seen.add(vm)) {
                throw ApiException.badRequest("vms names " + vm + " twice").about("vms");
            }
        }
        return vms;
    }

    /** The host that a path names by id or name; a text in the form of an id is one. */
    HostId hostOfPath(String text) {
        return Ids.isId(text) ? Ids.host(text) : host(text);
    }

    /**
     * The cluster that a filter names by id or name. An id need not be that of a present cluster:
     * records of a removed one stay.
     *
     * @throws ApiException 404 for a name that no cluster has; the name of one that the caller may
     *     not see is answered in the same words
     */
    public ClusterId cluster(String text) {
        if (Ids.isId(text)) {
            return new ClusterId(Ids.uuid(text));
        }
        Caller caller = caller();
        List<Cluster> seen =
                fleet.clusters().clusters().stream()
                        .filter(each -> sees(each.id(), caller))
                        .toList();
        return Ids.one("cluster", text, seen, Cluster::id, Cluster::name).id();
    }

    /** Refuses to act in a cluster. */
    public void act(ClusterId cluster) {
        if (!caller().has(Role.OPERATOR, cluster)) {
            throw Rejected.forbidden("This takes the role of an operator of the cluster.");
        }
    }

    /** A data centre is seen with any cluster in it. */
    public boolean sees(DataCentreId dataCentre, Caller caller) {
        return caller.has(Role.READER)
                || fleet.clusters().clusters().stream()
                        .anyMatch(cluster ->
                                cluster.dataCentre().equals(dataCentre)
                                        && sees(cluster.id(), caller));
    }

    public boolean sees(ClusterId cluster, Caller caller) {
        return caller.has(Role.READER, cluster);
    }
}
