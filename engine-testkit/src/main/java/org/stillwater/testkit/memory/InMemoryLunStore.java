package org.stillwater.testkit.memory;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.LunStore;
import org.stillwater.core.store.WriteOutcome;

/** LUN sizes in memory, with the semantics of the database. Thread-safe. */
public final class InMemoryLunStore extends InMemoryStore implements LunStore {

    private final Map<String, Integer> sizes = new HashMap<>();
    private final Map<VmId, Set<String>> plugged = new HashMap<>();

    /** Inserts a LUN without counting it. */
    public synchronized void define(String lunId, int sizeGibibytes) {
        sizes.put(lunId, sizeGibibytes);
    }

    /** Plugs a LUN into a VM. */
    public synchronized void plug(VmId vm, String lunId) {
        plugged.computeIfAbsent(vm, _ -> new HashSet<>()).add(lunId);
    }

    /** The stored size, null for a LUN that does not exist. */
    public synchronized @Nullable Integer size(String lunId) {
        return sizes.get(lunId);
    }

    @Override
    public synchronized WriteOutcome saveSizes(List<LunSize> reported) {
        WriteOutcome refusal = refusal();
        if (refusal != null) {
            return refusal;
        }
        int touched = 0;
        for (LunSize size : reported) {
            Integer stored = sizes.get(size.lunId());
            if (stored != null
                    && stored != size.sizeGibibytes()
                    && plugged.getOrDefault(size.vmId(), Set.of()).contains(size.lunId())) {
                sizes.put(size.lunId(), size.sizeGibibytes());
                touched++;
            }
        }
        return touched(touched);
    }
}
