package org.stillwater.monitoring.device;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.DomainXmlReader;
import org.stillwater.core.analysis.DomainXmlReader.UnreadableDomain;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmOrigin;
import org.stillwater.core.model.VmStatus;
import org.stillwater.core.port.HostAnswer;
import org.stillwater.core.port.HostConnection;
import org.stillwater.core.port.HostFailure;
import org.stillwater.core.port.StoredDevices;
import org.stillwater.core.port.WriteOutcome;
import org.stillwater.core.report.VmReport;
import org.stillwater.monitoring.observe.Complaints;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.write.StoreTask;

/**
 * Keeps the saved devices of one host's known VMs true: reads the list of a VM when its hash
 * changed, and only then. Used by the host's thread only.
 */
public final class DeviceMonitor {

    private final HostId host;
    private final DeviceServices services;
    private final HostThread thread;
    private final Complaints complaints;
    private final int limit;
    private final int chunk;
    private final DomainXmlReader domains = new DomainXmlReader();
    private final Map<VmId, String> changed = new LinkedHashMap<>();
    private final Map<VmId, String> underWay = new HashMap<>();
    private @Nullable HostConnection asked;

    /**
     * Nothing changed yet.
     *
     * @param limit VMs that may wait at most
     * @param chunk VMs asked for at once at most
     */
    public DeviceMonitor(
            HostId host,
            DeviceServices services,
            HostThread thread,
            Complaints complaints,
            int limit,
            int chunk) {
        this.host = host;
        this.services = services;
        this.thread = thread;
        this.complaints = complaints;
        this.limit = limit;
        this.chunk = chunk;
    }

    /** A VM that is at home here was reported; under its lock. */
    public void reported(VmManager vm, VmReport.Running running) {
        String hash = running.deviceHash();
        if (hash != null
                && !hash.equals(vm.deviceHash())
                && vm.definition().origin() == VmOrigin.EXTERNAL
                && running.runtime().status() != VmStatus.MIGRATING_TO
                && changed.size() < limit) {
            changed.put(vm.id(), hash);
        }
    }

    /** Asks the host for the devices of all VMs that changed, unless it was asked already. */
    @SuppressWarnings("ReferenceEquality") // a call belongs to the connection it was made on
    public void ask() {
        HostConnection open = thread.connection();
        if (open == null || open == asked || changed.isEmpty()) {
            return;
        }
        List<VmId> next = new ArrayList<>();
        for (Map.Entry<VmId, String> entry : changed.entrySet()) {
            if (next.size() == chunk) {
                break;
            }
            if (underWay.putIfAbsent(entry.getKey(), entry.getValue()) == null) {
                next.add(entry.getKey());
            }
        }
        next.forEach(changed::remove);
        if (!next.isEmpty()) {
            asked = open;
            open.domainXmls(next, answer -> thread.run("devices", () -> answered(next, answer)));
        }
    }

    private void answered(List<VmId> vms, HostAnswer<Map<VmId, String>> answer) {
        asked = null;
        switch (answer) {
            case HostAnswer.Success<Map<VmId, String>>(Map<VmId, String> xmls) -> {
                read(vms, xmls);
                ask();
            }
            case HostAnswer.Failed<Map<VmId, String>>(HostFailure failure) -> {
                vms.forEach(underWay::remove);
                complaints.about("domain XML failed", failure.describe());
            }
        }
    }

    private void read(List<VmId> vms, Map<VmId, String> xmls) {
        List<StoredDevices> devices = new ArrayList<>();
        for (VmId id : vms) {
            String xml = xmls.get(id);
            VmManager vm = services.registry().find(id);
            String hash = underWay.remove(id);
            if (xml == null || vm == null || hash == null || !vm.tryLock()) {
                continue;
            }
            try {
                DomainXmlReader.Domain domain = domains.read(id, xml);
                if (DeviceDigest.of(domain.devices()) == vm.deviceDigest()) {
                    vm.devicesSaved(hash, vm.deviceDigest());
                } else {
                    underWay.put(id, hash);
                    devices.add(new StoredDevices(id, hash, domain.devices()));
                }
            } catch (UnreadableDomain e) {
                complaints.about("domain XML not understood", "vm=" + id + ": " + e.getMessage());
            } finally {
                vm.unlock();
            }
        }
        if (!devices.isEmpty()) {
            services.writer().perform(new Saving(devices));
        }
    }

    private final class Saving implements StoreTask {
        private final List<StoredDevices> devices;

        Saving(List<StoredDevices> devices) {
            this.devices = devices.stream().sorted((a, b) -> a.vmId().compareTo(b.vmId())).toList();
        }

        @Override
        public WriteOutcome write() {
            return services.vms().replaceDevices(devices);
        }

        @Override
        public void written(WriteOutcome.Written outcome) {
            List<String> refused =
                    outcome.rejected().stream().map(WriteOutcome.Rejected::key).toList();
            thread.run("devices saved", () -> saved(refused));
        }

        private void saved(List<String> refused) {
            for (StoredDevices device : devices) {
                underWay.remove(device.vmId());
                VmManager vm = services.registry().find(device.vmId());
                if (vm != null && !refused.contains(vm.id().toString()) && vm.tryLock()) {
                    try {
                        vm.devicesSaved(device.hash(), DeviceDigest.of(device.devices()));
                    } finally {
                        vm.unlock();
                    }
                }
            }
            ask();
        }

        @Override
        public void abandoned() {
            thread.run(
                    "devices not saved",
                    () -> devices.forEach(device -> underWay.remove(device.vmId())));
        }
    }

    /** Forgets what waits, for the end of monitoring. */
    public void clear() {
        changed.clear();
        underWay.clear();
    }

    @Override
    public String toString() {
        return "devices on " + host;
    }
}
