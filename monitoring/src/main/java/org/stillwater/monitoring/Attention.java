package org.stillwater.monitoring;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.monitoring.cadence.CadenceControl;
import org.stillwater.monitoring.cadence.CadenceSettings;
import org.stillwater.monitoring.host.HostMonitor;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmRegistry;

/**
 * Where readers and alert rules announce at which hosts they look, so that these are polled often
 * enough. Without effect where intervals do not adapt. Any thread; does not block.
 */
public final class Attention {

    private final VmRegistry registry;
    private final WatchedHosts hosts;
    private final CadenceControl cadence;

    Attention(VmRegistry registry, WatchedHosts hosts, CadenceControl cadence) {
        this.registry = registry;
        this.hosts = hosts;
        this.cadence = cadence;
    }

    /** Whether it has an effect. */
    public boolean isOn() {
        return cadence.isOn();
    }

    /** How long a host counts as viewed, unless it is viewed again; zero without effect. */
    public Duration viewTime() {
        CadenceSettings settings = cadence.settings();
        return settings == null ? Duration.ZERO : settings.viewTime();
    }

    /** A client reads a VM. */
    public void viewed(VmId id) {
        VmManager vm = isOn() ? registry.find(id) : null;
        HostId host = vm == null ? null : vm.state().placement().runOn();
        if (host != null) {
            viewed(host);
        }
    }

    /** A client reads a host. */
    public void viewed(HostId id) {
        HostMonitor host = isOn() ? hosts.monitor(id) : null;
        if (host != null) {
            host.viewed();
        }
    }

    /**
     * An alert rule covers a host or one of its VMs: the interval must allow two checks within the
     * rule's duration.
     *
     * @param lasting duration for which its condition must hold
     * @param time validity of this call, which a further call extends
     */
    public void ruled(@Nullable HostId id, Duration lasting, Duration time) {
        CadenceSettings settings = cadence.settings();
        Duration atMost = lasting.dividedBy(2);
        if (id == null || settings == null || atMost.compareTo(settings.limits().longest()) >= 0) {
            return;
        }
        HostMonitor host = hosts.monitor(id);
        if (host != null) {
            host.ruled(atMost, time);
        }
    }
}
