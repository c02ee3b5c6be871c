package org.stillwater.monitoring.alert;

import java.util.Set;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;

/** The tags of objects, by name. Thread-safe; reads memory. */
public interface ObjectTags {

    /** Objects have none. */
    ObjectTags NONE =
            new ObjectTags() {
                @Override
                public Set<String> of(VmId vm) {
                    return Set.of();
                }

                @Override
                public Set<String> of(HostId host) {
                    return Set.of();
                }
            };

    /** Tags of a VM. */
    Set<String> of(VmId vm);

    /** Tags of a host. */
    Set<String> of(HostId host);
}
