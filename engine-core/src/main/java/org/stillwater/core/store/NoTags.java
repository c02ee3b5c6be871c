package org.stillwater.core.store;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.stillwater.core.cluster.Tag;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;

/** The store of an engine without tags, such as one of a simulation. */
final class NoTags implements TagStore {

    static final NoTags INSTANCE = new NoTags();

    private NoTags() {}

    private static StoreUnavailable refusal() {
        return new StoreUnavailable(
                "this engine keeps no tags", new UnsupportedOperationException("no tags"));
    }

    @Override
    public Kept load() {
        return new Kept(List.of(), Map.of(), Map.of());
    }

    @Override
    public ClusterStore.Saved save(Tag tag) throws StoreUnavailable {
        throw refusal();
    }

    @Override
    public boolean remove(UUID tag) throws StoreUnavailable {
        throw refusal();
    }

    @Override
    public boolean attach(UUID tag, VmId vm) throws StoreUnavailable {
        throw refusal();
    }

    @Override
    public boolean attach(UUID tag, HostId host) throws StoreUnavailable {
        throw refusal();
    }

    @Override
    public boolean detach(UUID tag, VmId vm) throws StoreUnavailable {
        throw refusal();
    }

    @Override
    public boolean detach(UUID tag, HostId host) throws StoreUnavailable {
        throw refusal();
    }
}
