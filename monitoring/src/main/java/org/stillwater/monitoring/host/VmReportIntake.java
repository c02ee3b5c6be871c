package org.stillwater.monitoring.host;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.MalformedReport;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.store.StoredVm;
import org.stillwater.monitoring.observe.StatisticsCycleEvent;
import org.stillwater.monitoring.vm.VmManager;

/**
 * Reports of one host about VMs: complete polls and events, each with its own processor, because
 * events are handled within a poll, and their consequences for remaining processes, claims, and
 * reads of single VMs. Used by the host's thread only, except where a method is documented
 * otherwise.
 */
final class VmReportIntake {

    private final MonitoredHost host;
    private final HostLink link;
    private final HostStatusKeeper keeper;
    private final EventLimiter limiter;
    private final OrphanedVmCleaner orphans;
    private final HostClaims claims;
    private final DomainReaders domains;
    private final VmReportProcessor polls;
    private final VmReportProcessor events;
    private final LastPoll lastPoll = new LastPoll();
    private final EventDelays delays = new EventDelays();
    private boolean pollUnderAnalysis;

    /**
     * An intake without reports.
     *
     * @param takeEvents handles events that arrived while a poll is analysed; no VM is locked then
     */
    VmReportIntake(
            MonitoredHost host,
            HostLink link,
            HostStatusKeeper keeper,
            EventLimiter limiter,
            Runnable takeEvents) {
        this.host = host;
        this.link = link;
        this.keeper = keeper;
        this.limiter = limiter;
        this.orphans = new OrphanedVmCleaner(host);
        this.claims = new HostClaims(host);
        this.domains = DomainReaders.of(host, link, limiter, this::firstState);
        this.polls = new VmReportProcessor(host, domains, claims, limiter, delays, takeEvents);
        this.events = new VmReportProcessor(host, domains, claims, limiter, delays, () -> {});
    }

    private StoredVm firstState(VmReport.Running report, VmStatic definition) {
        return polls.firstState(report, definition.in(keeper.state().definition().cluster()));
    }

    /** Processes and records that are left over on the host. */
    OrphanedVmCleaner orphans() {
        return orphans;
    }

    /** VMs of other hosts that the host claims to run. */
    HostClaims claims() {
        return claims;
    }

    /** Readers of single VMs. */
    DomainReaders domains() {
        return domains;
    }

    /** The newest complete poll. Any thread. */
    LastPoll lastPoll() {
        return lastPoll;
    }

    /** How late its events arrive. Any thread. */
    EventDelay eventDelay() {
        return delays.delay();
    }

    /** A new connection stands. */
    void connected() {
        orphans.connected();
        claims.connected();
        domains.connected();
    }

    /** The answer to a complete poll arrived. */
    void poll(VmReports reports) {
        HostServices services = host.services();
        StatisticsCycleEvent event = new StatisticsCycleEvent();
        event.begin();
        long started = host.nanoTime();
        event.host = keeper.state().definition().name();
        event.bytes = reports.sizeBytes();
        services.meters().decoded(reports.sizeBytes());
        HostCadence cadence = host.cadence();
        if (cadence != null) {
            cadence.begin();
        }
        try {
            pollUnderAnalysis = true;
            event.vms = polls.analyse(reports, link.boots().number(), link.session());
            event.complete = true;
            lastPoll.analysed(
                    reports, services.clock().now(), polls.failed(), polls.firstFailure());
            orphans.polled(reports.fetchedNanos());
            domains.externals().polled(reports.receivedNanos());
            keeper.decide(new HostFact.Answered());
            services.feed().statisticsRefreshed(host.id());
            services.meters().cycle(host.nanoTime() - started, event.vms);
            if (cadence != null) {
                cadence.analysed(polls.changed(), started);
            }
        } catch (MalformedReport e) {
            host.logs().warnings().about("poll not understood", String.valueOf(e.getMessage()));
            link.misunderstood(String.valueOf(e.getMessage()));
        } finally {
            pollUnderAnalysis = false;
            event.changed = polls.changed();
            event.commit();
        }
        askDomains();
    }

    /** The host sent an event about VMs; it is closed here. */
    void event(VmReports reports) {
        try (reports) {
            host.services().meters().event();
            host.services().meters().decoded(reports.sizeBytes());
            int vms = events.analyse(reports, link.boots().number(), link.session());
            limiter.charge(vms - 1);
            HostCadence cadence = host.cadence();
            if (cadence != null && events.changed() > 0) {
                cadence.stirred(events.changed());
                host.schedule().hasten(cadence.prompt(), host.nanoTime());
            }
        } catch (MalformedReport e) {
            host.logs().warnings().about("event not understood", String.valueOf(e.getMessage()));
            host.schedule().wantPoll();
        }
        askDomains();
    }

    /** Reads the VMs of a poll together, once the whole poll is analysed. */
    void askDomains() {
        if (!pollUnderAnalysis) {
            domains.ask();
        }
    }

    /** An outgoing migration moved on. */
    void migrationProgressed(VmId vmId, int percent, @Nullable Long downtimeMillis) {
        events.migrationProgressed(vmId, percent, downtimeMillis);
    }

    /** The host answered a command that it no longer has a VM. */
    void gone(VmId vmId, long answeredNanos) {
        polls.gone(vmId, answeredNanos);
    }

    /** A VM is free for which a report was parked. */
    void resume(VmManager vm) {
        polls.resume(vm);
    }

    /**
     * The host does not respond or is not polled: the state of its VMs becomes unknown.
     *
     * @return false if a command held one of them, which is unchanged
     */
    boolean lost() {
        return polls.lost(host.nanoTime());
    }
}
