package org.stillwater.testkit;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.VmId;
import org.stillwater.core.port.StatisticsStore;
import org.stillwater.core.port.WriteOutcome;

/** Samples in memory, with the semantics of the database. Thread-safe. */
public final class InMemoryStatisticsStore extends InMemoryStore implements StatisticsStore {

    private final Map<VmId, Sample> samples = new HashMap<>();

    /** The sample as stored, or null. */
    public synchronized @Nullable Sample sample(VmId vm) {
        return samples.get(vm);
    }

    @Override
    public synchronized WriteOutcome dump(List<Sample> batch) {
        WriteOutcome refusal = refusal();
        if (refusal != null) {
            return refusal;
        }
        int touched = 0;
        for (Sample sample : batch) {
            touched += sample.equals(samples.put(sample.vmId(), sample)) ? 0 : 1;
        }
        return touched(touched);
    }
}
