package org.stillwater.ovirt.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** VMs that are alike, for users. */
public record VmPool(
        @Attribute String id,
        @Attribute String href,
        @Nullable Actions actions,
        String name,
        @Nullable String description,
        @Nullable String comment,
        @Unwrapped @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Link> link,
        Boolean autoStorageSelect,
        Integer maxUserVms,
        Integer prestartedVms,
        Integer size,
        Boolean stateful,
        String type,
        Boolean useLatestTemplateVersion,
        Entity cluster,
        Entity template,
        Entity vm,
        @JsonUnwrapped Inlined inlined)
        implements Entity {
    /** Properties of the pool's VMs, with the identity of the first that the caller may see. */
    public record PoolVm(
            @Attribute @Nullable String id,
            @Attribute @Nullable String href,
            Cpu cpu,
            Long memory,
            Vm.Os os,
            Vm.Sso sso,
            String type)
            implements Entity {}
}
