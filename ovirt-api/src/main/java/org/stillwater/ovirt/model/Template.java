package org.stillwater.ovirt.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Template of VMs. */
public record Template(
        @Attribute String id,
        @Attribute String href,
        String name,
        @Nullable String description,
        @Nullable String comment,
        @Unwrapped @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Link> link,
        Vm.Bios bios,
        Cpu cpu,
        Instant creationTime,
        Boolean deleteProtected,
        Vm.@Nullable Display display,
        Long memory,
        Vm.MemoryPolicy memoryPolicy,
        Vm.Os os,
        String origin,
        Boolean stateless,
        String status,
        Vm.TimeZone timeZone,
        String type,
        TemplateVersion version,
        @Nullable Entity cluster,
        @JsonUnwrapped Inlined inlined)
        implements Entity {
    /** Its number among the versions of one template. */
    public record TemplateVersion(Entity baseTemplate, String versionName, Integer versionNumber) {}
}
