package org.stillwater.monitoring.host;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.vm.HostClaim;
import org.stillwater.monitoring.vm.HostClaim.Kind;
import org.stillwater.monitoring.vm.VmManager;

/**
 * The VMs of other hosts of which one host has a process (ADR 0032). The VM holds the claim itself
 * ({@link VmManager#claims}); this class lists the VMs, so that an episode ends when the host stops
 * the claim. Used by the host's thread only, but for {@link #list} and {@link #refused}.
 */
final class HostClaims {

    private final HostId host;
    private final HostServices services;
    private final ThrottledLog warnings;
    private final HostAuditLog audits;
    private final int limit;

    /** VMs with an episode of this host, and some with one that another host has ended. */
    private final Map<VmId, VmManager> index = new ConcurrentHashMap<>();

    /** VMs with an ended episode that were locked at its end. */
    private final Set<VmManager> over = new HashSet<>();

    /**
     * VMs that the host has mentioned since it was connected, so in its present boot; or since the
     * last connection in which it reported its boot.
     */
    private final Set<VmId> sinceConnected = new HashSet<>();

    private boolean bootTold;

    private boolean full;

    HostClaims(MonitoredHost host) {
        this.host = host.id();
        this.services = host.services();
        this.warnings = host.logs().warnings();
        this.audits = host.logs().audits();
        this.limit = services.settings().claimLimit();
    }

    /**
     * The host has a process of a VM for which another host is responsible. Under the VM's lock.
     *
     * @param poll the complete poll with the claim, 0 for an event
     * @return the episode that it belongs to; null if the host already claims too many VMs; then
     *     the claim is not recorded
     */
    @Nullable HostClaim mention(
            VmManager vm, Kind kind, VmRuntime seen, Instant now, long receivedNanos, int poll) {
        HostClaim known = over.remove(vm) ? null : vm.claimOf(host);
        if (known != null && known.kind() == kind) {
            HostClaim again = known.again(seen, receivedNanos, poll);
            stands(vm, again);
            return again;
        }
        if (known == null && !hasRoom()) {
            return null;
        }
        HostClaim begun =
                new HostClaim(host, kind, seen, now, receivedNanos, receivedNanos, poll, false);
        stands(vm, begun);
        if (kind == Kind.RUNS) {
            begun(vm);
        }
        return begun;
    }

    private void stands(VmManager vm, HostClaim claim) {
        vm.claim(claim);
        index.put(vm.id(), vm);
        sinceConnected.add(vm.id());
    }

    private void forgetAbout(VmManager vm) {
        if (index.remove(vm.id(), vm)) {
            sinceConnected.remove(vm.id());
        }
    }

    private void begun(VmManager vm) {
        services.meters().contested();
        warnings.about(
                "claims a VM of another host",
                "vm=%s is on host=%s".formatted(vm.id(), vm.state().placement().runOn()));
        audits.record(
                AuditEvent.VM_CONTESTED,
                vm.id(),
                host,
                Map.of("responsible", nameOf(vm.state().placement().runOn())));
    }

    private String nameOf(@Nullable HostId id) {
        HostMonitor monitor = id == null ? null : services.fleet().monitor(id);
        return monitor == null ? String.valueOf(id) : monitor.state().definition().name();
    }

    private boolean hasRoom() {
        if (index.size() >= limit) {
            prune();
        }
        if (index.size() < limit) {
            full = false;
            return true;
        }
        services.meters().contested();
        warnings.about("claims too many VMs of other hosts", "more than " + limit);
        if (!full) {
            full = true;
            services.audit()
                    .record(
                            AuditEvent.HOST_CLAIMS_TOO_MANY_VMS,
                            null,
                            host,
                            Map.of("limit", Integer.toString(limit)));
        }
        return false;
    }

    private void prune() {
        for (VmManager vm : List.copyOf(index.values())) {
            if (vm.claimOf(host) == null || isForgotten(vm)) {
                forgetAbout(vm);
            }
        }
    }

    private boolean isForgotten(VmManager vm) {
        return services.registry().find(vm.id()) != vm;
    }

    /** The host reports that it no longer has a process of a VM. Under the VM's lock. */
    void end(VmManager vm) {
        vm.unclaim(host);
        over.remove(vm);
        forgetAbout(vm);
    }

    /**
     * A complete poll has been analysed: the host has no VM that the poll lacks, unless it reported
     * the VM after it was asked.
     *
     * @param fetchedNanos when the poll was requested
     * @param unanalysed VMs that it mentioned and that were not analysed, for example while they
     *     were locked
     */
    void endUnmentioned(int poll, long fetchedNanos, Set<VmManager> unanalysed) {
        if (index.isEmpty()) {
            return;
        }
        for (VmManager vm : List.copyOf(index.values())) {
            HostClaim claim = vm.claimOf(host);
            if (claim == null || isForgotten(vm)) {
                forgetAbout(vm);
                over.remove(vm);
            } else if (claim.poll() != poll
                    && fetchedNanos - claim.heardNanos() > 0
                    && !unanalysed.contains(vm)) {
                endIfFree(vm);
            }
        }
    }

    /**
     * The host does not respond, or may have booted: its remains cannot be distinguished from
     * returned VMs.
     */
    void lost() {
        endAll(standing -> standing.claim().kind() == Kind.LEFTOVER);
    }

    /** The host was removed and no longer reports. After the end of the host's thread. */
    void forget() {
        services.registry().all().forEach(vm -> vm.unclaim(host));
    }

    /** Takes the claims of the host's earlier monitor. Before the start of the host's thread. */
    void takeOver() {
        services.registry()
                .all()
                .filter(vm -> vm.claimOf(host) != null)
                .forEach(vm -> index.put(vm.id(), vm));
    }

    /**
     * A connection begins. A boot that is discovered later happened before this connection, or
     * before an earlier one during which the host reported neither its boot id nor its boot time.
     */
    void connected() {
        if (bootTold) {
            sinceConnected.clear();
            bootTold = false;
        }
    }

    /** The host reported its boot id or boot time. Call {@link #booted} first if it changed. */
    void bootTold() {
        bootTold = true;
    }

    /** The host has booted: it has only the processes that it mentioned since. */
    void booted() {
        endAll(claim -> !sinceConnected.contains(claim.vm().id()));
    }

    /** An episode and the VM that it is about. */
    private record Standing(VmManager vm, HostClaim claim) {}

    private void endAll(Predicate<Standing> which) {
        for (VmManager vm : List.copyOf(index.values())) {
            HostClaim claim = vm.claimOf(host);
            if (claim == null) {
                forgetAbout(vm);
            } else if (which.test(new Standing(vm, claim))) {
                endIfFree(vm);
            }
        }
    }

    private void endIfFree(VmManager vm) {
        if (vm.tryLock()) {
            try {
                end(vm);
            } finally {
                vm.unlock();
            }
        } else {
            over.add(vm);
        }
    }

    /**
     * The host, which is responsible for a VM, has reported in a complete poll that it runs it.
     * Each claim that this refuses causes one audit event. Under the VM's lock.
     */
    void refused(VmManager vm) {
        for (HostClaim claim : vm.claims()) {
            if (claim.kind() == Kind.RUNS && !claim.refusalTold() && vm.isRefused(claim)) {
                vm.refusalTold(claim.claimant());
                HostMonitor claimant = services.fleet().monitor(claim.claimant());
                if (claimant != null) {
                    claimant.audits()
                            .record(
                                    AuditEvent.VM_CLAIM_REFUSED,
                                    vm.id(),
                                    claim.claimant(),
                                    Map.of("responsible", nameOf(host)));
                }
            }
        }
    }

    /** Number of VMs of other hosts that the host claims to run. Any thread. */
    int size() {
        int count = 0;
        for (VmManager vm : index.values()) {
            HostClaim claim = vm.claimOf(host);
            if (claim != null && claim.kind() == Kind.RUNS) {
                count++;
            }
        }
        return count;
    }

    /** The hosts that claim to run a VM for which another host is responsible. Any thread. */
    static List<ContestedVm> of(VmManager vm) {
        HostId responsible = vm.state().placement().runOn();
        if (responsible == null) {
            return List.of();
        }
        List<ContestedVm> all = new ArrayList<>(1);
        for (HostClaim claim : vm.claims()) {
            if (claim.kind() == Kind.RUNS && !claim.claimant().equals(responsible)) {
                all.add(
                        new ContestedVm(
                                vm.id(),
                                vm.definition().name(),
                                claim.claimant(),
                                responsible,
                                claim.seen().status(),
                                claim.since(),
                                vm.isRefused(claim)));
            }
        }
        return all;
    }

    /** The VMs of other hosts that the host claims to run, by id. Any thread. */
    List<ContestedVm> list() {
        if (index.isEmpty()) {
            return List.of();
        }
        List<ContestedVm> all = new ArrayList<>();
        for (VmManager vm : index.values()) {
            for (ContestedVm claim : of(vm)) {
                if (claim.claimant().equals(host)) {
                    all.add(claim);
                }
            }
        }
        all.sort((one, other) -> one.vm().compareTo(other.vm()));
        return List.copyOf(all);
    }
}
