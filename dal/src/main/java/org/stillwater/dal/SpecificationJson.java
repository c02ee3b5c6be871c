package org.stillwater.dal;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.sql.SQLDataException;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmCpu;
import org.stillwater.core.definition.VmDisk;
import org.stillwater.core.definition.VmSpecification;
import tools.jackson.databind.json.JsonMapper;

/**
 * Specifications of VMs as JSON objects; a member {@code kind} is the type of a CPU, and of a
 * disk's location. Stateless; the names of kinds, of members and of constants are durable.
 *
 * <p>The database holds this form, member by member as the records are. Users send and see another
 * form ({@code DefinitionJson} of the server): it has defaults, words in lower case, and the
 * members of a definition that have columns of their own, and it may change with the interface.
 */
final class SpecificationJson {

    private static final JsonMapper MAPPER =
            Json.mapper()
                    .addMixIn(VmCpu.class, Cpus.class)
                    .addMixIn(VmDisk.Place.class, Places.class)
                    .build();

    private SpecificationJson() {}

    static @Nullable String write(@Nullable VmSpecification specification) {
        return specification == null ? null : MAPPER.writeValueAsString(specification);
    }

    static @Nullable VmSpecification read(@Nullable String text) throws SQLDataException {
        return text == null ? null : Json.read(MAPPER, text, VmSpecification.class);
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes({
        @JsonSubTypes.Type(value = VmCpu.OfCluster.class, name = "cluster"),
        @JsonSubTypes.Type(value = VmCpu.OfHost.class, name = "host"),
        @JsonSubTypes.Type(value = VmCpu.Named.class, name = "named")
    })
    private interface Cpus {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes({
        @JsonSubTypes.Type(value = VmDisk.Place.Volume.class, name = "volume"),
        @JsonSubTypes.Type(value = VmDisk.Place.BlockDevice.class, name = "block_device"),
        @JsonSubTypes.Type(value = VmDisk.Place.File.class, name = "file")
    })
    private interface Places {}
}
