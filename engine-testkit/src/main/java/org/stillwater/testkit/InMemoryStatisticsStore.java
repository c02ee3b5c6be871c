package org.stillwater.testkit;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.VmId;
import org.stillwater.core.port.StatisticsStore;
import org.stillwater.core.port.WriteOutcome;

/** Samples in memory, with the semantics of the database. Thread-safe. */
public final class InMemoryStatisticsStore extends InMemoryStore implements StatisticsStore {

    private final Map<VmId, Sample> samples = new HashMap<>();
    private final Map<HostId, HostSample> hosts = new HashMap<>();

    /** The sample as stored, or null. */
    public synchronized @Nullable Sample sample(VmId vm) {
        return samples.get(vm);
    }

    /** The sample as stored, or null. */
    public synchronized @Nullable HostSample sample(HostId host) {
        return hosts.get(host);
    }

    @Override
    public synchronized WriteOutcome dump(List<Sample> vms, List<HostSample> sampledHosts) {
        WriteOutcome refusal = refusal();
        if (refusal != null) {
            return refusal;
        }
        int touched = 0;
        for (Sample sample : vms) {
            touched += sample.equals(samples.put(sample.vmId(), sample)) ? 0 : 1;
        }
        for (HostSample sample : sampledHosts) {
            touched += sample.equals(hosts.put(sample.hostId(), sample)) ? 0 : 1;
        }
        return touched(touched);
    }
}
