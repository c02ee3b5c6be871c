package org.stillwater.server.api.operation;

import java.util.List;
import org.stillwater.core.id.VmId;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.JsonObjectReader;

/** Finds the VMs that match the filter of a batch. Thread-safe. */
public interface BatchFilter {

    /**
     * VMs that match now and on which the caller may act, in the order of their names.
     *
     * @param conditions filters of the list of VMs, as texts
     * @param most VMs of one batch
     * @throws ApiException 400 for a condition that the list refuses, for none, and for more VMs
     *     than {@code most}; 404 for a host, a cluster or a tag that does not exist
     */
    List<VmId> matching(JsonObjectReader conditions, int most);
}
