package org.stillwater.monitoring.host;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.stillwater.core.analysis.AnalysisContext;
import org.stillwater.core.analysis.KnownVm;
import org.stillwater.core.analysis.VmClaim;
import org.stillwater.core.id.HostId;
import org.stillwater.monitoring.vm.HostClaim;
import org.stillwater.monitoring.vm.HostVms;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmState;

/**
 * Additional evidence for a decision about a VM: reports of other hosts, and whether they have
 * reported since. Used by the host's thread only.
 */
final class VmEvidence {

    private final HostId host;
    private final HostServices services;
    private final HostVms home;
    private final ReportMessage message;

    /**
     * Evidence for the reports of one host.
     *
     * @param message the message that is analysed
     */
    VmEvidence(MonitoredHost here, ReportMessage message) {
        this.host = here.id();
        this.services = here.services();
        this.home = services.registry().on(host);
        this.message = message;
    }

    /** The context of a decision about a VM. Under its lock. */
    AnalysisContext contextOf(VmManager vm) {
        return context(handOverOverdue(vm), () -> othersHeard(vm));
    }

    /** The context of a decision that needs no reports of other hosts. */
    AnalysisContext contextAlone() {
        return context(false, () -> true);
    }

    /**
     * The present state of a VM. Under its lock.
     *
     * @param absent whether the responsible host does not list it
     */
    KnownVm known(VmManager vm, boolean absent) {
        VmState state = vm.state();
        return new KnownVm(
                vm.id(),
                vm.definition(),
                state.runtime(),
                state.placement(),
                vm.commands(services.clock().nanoTime()),
                vm.externalDataUnsaved(),
                claimsOf(vm, absent));
    }

    /**
     * The claims of hosts other than the reporter. A paused process counts as a claim if the
     * responsible host no longer lists the VM and has not confirmed it since (ADR 0032).
     *
     * @param absent whether the responsible host does not list the VM
     */
    private List<VmClaim> claimsOf(VmManager vm, boolean absent) {
        List<HostClaim> all = vm.claims();
        if (all.isEmpty()) {
            return List.of();
        }
        List<VmClaim> others = new ArrayList<>(all.size());
        for (HostClaim claim : all) {
            if (claim.kind() == HostClaim.Kind.RUNS && isOfAnother(claim)) {
                others.add(new VmClaim(claim.claimant(), claim.seen(), vm.isRefused(claim)));
            }
        }
        if (absent && others.isEmpty()) {
            for (HostClaim claim : all) {
                if (claim.kind() == HostClaim.Kind.LEFTOVER
                        && isOfAnother(claim)
                        && !vm.isRefused(claim)) {
                    others.add(new VmClaim(claim.claimant(), claim.seen(), false));
                }
            }
        }
        return others;
    }

    private boolean isOfAnother(HostClaim claim) {
        return !claim.claimant().equals(host) && services.fleet().monitor(claim.claimant()) != null;
    }

    private AnalysisContext context(boolean handOverOverdue, BooleanSupplier othersHeard) {
        return new AnalysisContext(
                host,
                message.now,
                services.fleet()::isUnheard,
                services.fleet()::isOutOfContact,
                services.fleet()::isUnwatched,
                handOverOverdue,
                othersHeard,
                message.isPoll());
    }

    /**
     * Whether this host's report of the VM's end needs no report of another host. A VM that came
     * here by its expected migration needs that of its former host; a VM that came here otherwise,
     * or left its host for an unknown destination, needs that of every host; no longer than the
     * engine waits for a migrated VM to be seen.
     */
    private boolean othersHeard(VmManager vm) {
        long patience = services.settings().handOver().toNanos();
        long nanos = services.clock().nanoTime();
        if (!vm.isAt(home)) {
            long since = vm.changedSince(services.startedNanos());
            return nanos - since > patience
                    || services.fleet().haveOthersAnsweredSince(host, since);
        }
        HostId destination = vm.state().placement().migratingTo();
        long changed = vm.changedSince(services.startedNanos());
        if (destination != null
                && !destination.equals(host)
                && nanos - changed <= patience
                && !services.fleet().hasAnsweredSince(destination, changed)) {
            return false;
        }
        VmManager.Arrival arrival = vm.arrival();
        if (arrival == null) {
            return true;
        }
        boolean heard =
                nanos - arrival.nanos() > patience
                        || (arrival.expected()
                                ? services.fleet().hasAnsweredSince(arrival.from(), arrival.nanos())
                                : services.fleet().haveOthersAnsweredSince(host, arrival.nanos()));
        if (heard) {
            vm.arrived(null);
        }
        return heard;
    }

    /** For how long a VM has been awaited counts from when that was concluded, not reported. */
    private boolean handOverOverdue(VmManager vm) {
        long patience = services.settings().handOver().toNanos();
        long nanos = services.clock().nanoTime();
        return nanos - vm.state().observedNanos() > patience && vm.unchangedSince(nanos - patience);
    }
}
