package org.stillwater.xapi.host;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;

/**
 * A VM of a pool in the engine's words. Two of them are equal when nothing changed that the engine
 * shows: memory in use and times of reports are no part of it.
 *
 * @param id its identity
 * @param ref the pool's present reference to it
 * @param definition its definition
 * @param host the host of its process; null without a process
 * @param movingTo destination of its migration; null without one, or if the pool does not report it
 * @param status its status
 * @param values of {@link VmMapping#FIELDS}, at the same places
 * @param domain number of its process, another one after each boot; -1 while it has none
 * @param startedAt start of its run, by the pool's clock; null if the pool does not report it
 * @param tags its tags in the pool, sorted, each once
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
        @Nullable Instant startedAt,
        List<String> tags) {

    /**
     * The engine's new state of its run.
     *
     * @param known the engine's present state; the same instance is the result if nothing differs
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

    /** The engine's state of a VM that it sees for the first time. */
    public VmRuntime firstRuntime() {
        return runtime(VmRuntime.INITIAL, new VmRuntime.Draft());
    }
}
