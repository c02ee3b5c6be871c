package org.stillwater.xapi.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Equal values of records are one object. */
class SharedValuesTest {

    private static final String REFERENCE = "OpaqueRef:6b1f2d3c-0000-4000-8000-000000000001";

    private final SharedValues shared = new SharedValues();

    private static Map<String, String> map(String... entries) {
        Map<String, String> map = new LinkedHashMap<>();
        for (int i = 0; i < entries.length; i += 2) {
            map.put(entries[i], entries[i + 1]);
        }
        return map;
    }

    @Test
    @DisplayName("equal sets and equal maps of short texts become one")
    void equalValues() {
        List<String> operations = List.of("start", "destroy");
        assertThat(shared.of(operations)).isSameAs(operations);
        assertThat(shared.of(List.of("start", "destroy"))).isSameAs(operations);
        assertThat(shared.of(List.of("destroy", "start"))).containsExactly("destroy", "start");
        Map<String, String> platform = map("acpi", "1", "cores-per-socket", "2");
        assertThat(shared.of(platform)).isSameAs(platform);
        assertThat(shared.of(map("acpi", "1", "cores-per-socket", "2"))).isSameAs(platform);
        assertThat(shared.of(map("acpi", "1", "cores-per-socket", "4")))
                .containsEntry("cores-per-socket", "4");
    }

    @Test
    @DisplayName("values with references keep their order and are not remembered")
    void references() {
        List<String> devices = List.of(REFERENCE);
        assertThat(shared.of(devices)).isSameAs(devices);
        List<String> others = List.of(new StringBuilder(REFERENCE).toString());
        assertThat(shared.of(others)).isSameAs(others);
        Map<String, String> operations = map(REFERENCE, "start");
        assertThat(shared.of(operations)).isSameAs(operations);
        Map<String, String> again = map(REFERENCE, "start");
        assertThat(shared.of(again)).isSameAs(again);
    }

    @Test
    @DisplayName("a table that is full of other values still gives the right ones")
    void bounded() {
        for (int i = 0; i < 20_000; i++) {
            assertThat(shared.of(List.of("a" + i))).containsExactly("a" + i);
            assertThat(shared.of(map("a", "b" + i))).isEqualTo(Map.of("a", "b" + i));
        }
    }
}
