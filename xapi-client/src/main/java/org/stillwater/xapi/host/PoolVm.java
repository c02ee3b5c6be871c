package org.stillwater.xapi.host;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.RuntimeField;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmRuntime;
import org.stillwater.core.model.VmStatic;
import org.stillwater.core.model.VmStatus;

/**
 * A VM of a pool in the engine's words. Two of them are equal when nothing changed that the engine
 * shows: memory in use and times of reports are no part of it.
 *
 * @param id its identity
 * @param ref how the pool calls it now
 * @param definition what it is
 * @param host where its process is; null while it has none
 * @param movingTo where it migrates; null while it does not, or the pool does not tell
 * @param status how it fares
 * @param values of {@link VmMapping#FIELDS}, at the same places
 * @param domain number of its process, another one after each boot; -1 while it has none
 * @param startedAt when its run began, by the pool's clock; null if the pool does not tell
 */
public record PoolVm(
        VmId id,
        String ref,
        VmStatic definition,
        @Nullable HostId host,
        @Nullable HostId movingTo,
        VmStatus status,
        List<@Nullable Object> values,
        long domain,
        @Nullable Instant startedAt) {

    /**
     * What the engine is to know of its run.
     *
     * @param known what it knows; the same instance is the result if nothing differs
     * @param draft to work with
     */
    VmRuntime runtime(VmRuntime known, VmRuntime.Draft draft) {
        draft.startPoll(known);
        draft.set(RuntimeField.STATUS, status);
        for (int i = 0; i < values.size(); i++) {
            draft.set(VmMapping.FIELDS.get(i), values.get(i));
        }
        return draft.build();
    }

    /** What the engine is to know of a VM that it sees for the first time. */
    public VmRuntime firstRuntime() {
        return runtime(VmRuntime.INITIAL, new VmRuntime.Draft());
    }
}
