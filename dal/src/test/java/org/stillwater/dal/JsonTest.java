package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.alert.AlertScope;
import org.stillwater.core.alert.AlertSubject;
import tools.jackson.databind.json.JsonMapper;

@DisplayName("Rows that an earlier engine wrote")
class JsonTest {

    private static final JsonMapper MAPPER = Json.mapper().build();

    @Test
    @DisplayName("a scope without storage domains has any of them")
    void scope() throws Exception {
        AlertScope read =
                Json.read(
                        MAPPER,
                        """
                        {"clusters": [], "tags": ["prod"], "vms": [], "hosts": [], "all": false}
                        """,
                        AlertScope.class);
        assertThat(read.storageDomains()).isEmpty();
        assertThat(read.tags()).containsExactly("prod");
    }

    @Test
    @DisplayName("an object without an owner is read, and one with an owner as it was written")
    void subject() throws Exception {
        UUID id = new UUID(8, 1);
        assertThat(
                        Json.read(
                                MAPPER,
                                "{\"kind\": \"VM\", \"id\": \"%s\", \"name\": \"web\"}"
                                        .formatted(id),
                                AlertSubject.class))
                .isEqualTo(new AlertSubject(AlertSubject.Kind.VM, id, "web"));
        AlertSubject disk =
                new AlertSubject(AlertSubject.Kind.DISK, id, "disk vda", new UUID(9, 9), null);
        assertThat(Json.read(MAPPER, MAPPER.writeValueAsString(disk), AlertSubject.class))
                .isEqualTo(disk);
    }
}
