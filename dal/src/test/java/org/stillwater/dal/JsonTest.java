package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.alert.AlertRule;
import org.stillwater.core.alert.AlertScope;
import org.stillwater.core.alert.AlertSeverity;
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
    @DisplayName("a rule without a time of firing on has none, and one with a time keeps it")
    void rule() throws Exception {
        AlertRule rule =
                new AlertRule(
                        new UUID(5, 5),
                        1,
                        "Busy",
                        "vm.usageCpuPercent > 90",
                        Duration.ofMinutes(1),
                        Duration.ofMinutes(3),
                        AlertScope.ALL,
                        AlertSeverity.INFO,
                        Map.of(),
                        Map.of(),
                        true,
                        5);
        String stored = MAPPER.writeValueAsString(rule);
        assertThat(Json.read(MAPPER, stored, AlertRule.class)).isEqualTo(rule);
        String earlier = stored.replaceFirst(",?\"keepFiring\":[^,}]*", "");
        assertThat(earlier).doesNotContain("keepFiring").isNotEqualTo(stored);
        assertThat(Json.read(MAPPER, earlier, AlertRule.class).keepFiring())
                .isEqualTo(Duration.ZERO);
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
