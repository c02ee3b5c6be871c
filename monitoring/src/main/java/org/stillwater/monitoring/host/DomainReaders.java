package org.stillwater.monitoring.host;

import java.util.Map;
import java.util.function.BiFunction;
import org.stillwater.core.analysis.DomainXmlReader;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.store.StoredVm;
import org.stillwater.monitoring.device.DeviceMonitor;
import org.stillwater.monitoring.device.DeviceServices;
import org.stillwater.monitoring.device.ExternalData;
import org.stillwater.monitoring.device.ExternalVms;
import org.stillwater.monitoring.device.IntakeTrouble;

/**
 * Readers of one host's VMs beside their statistics, with calls of their own.
 *
 * @param externals VMs that the engine does not know: their domain XML, to take them in
 * @param devices domain XML of VMs with changed devices
 * @param externalData TPM and NVRAM data
 */
record DomainReaders(ExternalVms externals, DeviceMonitor devices, ExternalData externalData) {

    /**
     * Readers without work.
     *
     * @param link the connection for their requests
     * @param limiter counts imported VMs
     * @param firstState returns the first state of a VM
     */
    static DomainReaders of(
            MonitoredHost host,
            HostLink link,
            EventLimiter limiter,
            BiFunction<VmReport.Running, VmStatic, StoredVm> firstState) {
        HostMonitorSettings settings = host.settings();
        DeviceServices shared = host.services().caches().devices();
        HostLogs logs = host.logs();
        DomainXmlReader domains = new DomainXmlReader(settings.domainXmlLimit());
        return new DomainReaders(
                new ExternalVms(
                        host.id(),
                        shared,
                        link,
                        logs.warnings(),
                        new Imported(host, limiter, firstState),
                        domains,
                        settings.unknownLimit(),
                        settings.domainChunk(),
                        settings.interval(),
                        settings.quietPeriod()),
                new DeviceMonitor(
                        host.id(),
                        shared,
                        link,
                        logs.warnings(),
                        domains,
                        settings.unknownLimit(),
                        settings.domainChunk(),
                        settings.interval(),
                        settings.quietPeriod()),
                new ExternalData(
                        host.id(),
                        shared,
                        link,
                        logs.warnings(),
                        settings.unknownLimit(),
                        settings.externalDataCalls()));
    }

    /** A new connection stands. */
    void connected() {
        externals.connected();
        devices.connected();
    }

    /** Reads the data that a report has shown to be missing. */
    void ask() {
        devices.ask();
        externals.ask();
        externalData.ask();
    }

    /** Forgets waiting VMs, for the end of monitoring. */
    void clear() {
        externals.clear();
        devices.clear();
    }

    /** Counts and records the imported VMs of one host, and those that cannot be imported. */
    private record Imported(
            MonitoredHost host,
            EventLimiter limiter,
            BiFunction<VmReport.Running, VmStatic, StoredVm> first)
            implements ExternalVms.Listener {

        @Override
        public StoredVm firstState(VmReport.Running report, VmStatic definition) {
            return first.apply(report, definition);
        }

        @Override
        public void takenIn(VmId vm) {
            limiter.tookIn();
            host.logs().audits().record(AuditEvent.EXTERNAL_VM_ADDED, vm, host.id(), Map.of());
        }

        @Override
        public void troubled(IntakeTrouble trouble) {
            host.logs()
                    .audits()
                    .record(
                            AuditEvent.EXTERNAL_VMS_NOT_ADDED,
                            null,
                            host.id(),
                            Map.of(
                                    "count",
                                    Integer.toString(trouble.vms()),
                                    "reason",
                                    trouble.reason()));
        }
    }
}
