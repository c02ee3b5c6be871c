package org.stillwater.xapi.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.xapi.client.PoolListener.Change;

/** Replies that a simulator does not give on demand, step by step on a clock of the test. */
class ScriptedWatchTest {

    private static final String OBJECT = "OpaqueRef:object";
    private static final XapiClass VIF = XapiClass.of("VIF");

    private final ScriptedPool pool = new ScriptedPool("192.0.2.1", "192.0.2.2", "192.0.2.3");
    private final Lab.Heard heard = new Lab.Heard();

    private PoolWatch watch(PoolConnection connection) {
        return PoolWatch.stepped(
                connection, heard, pool.clock, PoolWatch.Sync.EVENTS, PoolWatch.Times.USUAL);
    }

    static Stream<XapiClass> classes() {
        return XapiClass.all().stream();
    }

    /** A record with one value in each field. */
    private static String record(XapiClass type, boolean second) {
        StringBuilder json = new StringBuilder("{\"a_field_of_no_use\":{\"x\":[1,true]}");
        for (int i = 0; i < type.fields().size(); i++) {
            json.append(",\"").append(type.fields().get(i)).append("\":");
            json.append(
                    switch (type.kinds().get(i)) {
                        case STRING, DATETIME -> second ? "\"b\"" : "\"a\"";
                        case INT -> second ? "2" : "1";
                        case FLOAT -> second ? "2.5" : "1.5";
                        case BOOL -> second ? "true" : "false";
                        case STRINGS -> second ? "[\"b\",\"c\"]" : "[\"a\"]";
                        case MAP -> second ? "{\"k\":\"b\"}" : "{\"k\":\"a\"}";
                    });
        }
        return json.append('}').toString();
    }

    @ParameterizedTest
    @MethodSource("classes")
    @DisplayName("X26, X39 objects of every class come, change and go; unknown ones stay unknown")
    void everyClass(XapiClass type) {
        boolean tasks = type.name().equals("task");
        try (PoolConnection connection = pool.connect();
                PoolWatch watch = watch(connection)) {
            pool.batch("");
            watch.step(tasks);
            pool.batch("", ScriptedPool.event(type, "add", OBJECT, record(type, false)));
            watch.step(tasks);
            Change added = heard.changes.remove();
            assertThat(added.before()).isNull();
            assertThat(watch.objects(type)).containsExactly(Map.entry(OBJECT, added.after()));

            pool.batch("", ScriptedPool.event(type, "mod", OBJECT, record(type, true)));
            watch.step(tasks);
            if (!type.fields().isEmpty()) {
                Change changed = heard.changes.remove();
                assertThat(changed.before()).isSameAs(added.after());
                assertThat(watch.objects(type).get(OBJECT)).isSameAs(changed.after());
                for (String field : type.fields()) {
                    assertThat(changed.after().get(field))
                            .as(field)
                            .isNotNull()
                            .isNotEqualTo(added.after().get(field));
                }
            }
            assertThat(heard.changes).as("a class without fields changes never").isEmpty();

            pool.batch("", ScriptedPool.event(type, "del", OBJECT, ""));
            watch.step(tasks);
            assertThat(heard.changes.remove().after()).isNull();
            assertThat(watch.objects(type)).isEmpty();

            pool.batch("", ScriptedPool.event(type, "del", OBJECT, ""));
            watch.step(tasks);
            assertThat(heard.changes).as("of an unknown object").isEmpty();
            assertThat(heard.losses).isEmpty();
        }
    }

    @ParameterizedTest(name = "{0}.{1}")
    @CsvSource({
        "host_metrics, memory_free",
        "host_metrics, last_updated",
        "VM_metrics, memory_actual",
        "VM_metrics, last_updated",
        "VM_guest_metrics, last_updated",
        "pool, other_config",
    })
    @DisplayName("X35 what changes all the time in a stable pool is no change")
    void noise(String name, String field) {
        XapiClass type = XapiClass.of(name);
        String same = record(type, false).replaceFirst("}$", "");
        try (PoolConnection connection = pool.connect();
                PoolWatch watch = watch(connection)) {
            pool.batch(
                    "",
                    ScriptedPool.event(type, "add", OBJECT, same + ",\"" + field + "\":\"0\"}"));
            watch.step(false);
            XapiRecord before = watch.objects(type).get(OBJECT);
            for (int i = 1; i < 5; i++) {
                String next = same + ",\"" + field + "\":\"" + i + "\"}";
                pool.batch("", ScriptedPool.event(type, "mod", OBJECT, next));
                watch.step(false);
            }
            assertThat(heard.changes).isEmpty();
            assertThat(watch.objects(type).get(OBJECT)).isSameAs(before);
        }
    }

    @Test
    @DisplayName("X31 a count that does not fit for a moment costs one reading in ten seconds")
    void falseAlarm() {
        pool.results.put("VIF.get_all_records", "{}");
        try (PoolConnection connection = pool.connect();
                PoolWatch watch = watch(connection)) {
            pool.batch("\"vif\":0");
            watch.step(false);
            assertThat(pool.count("VIF.get_all_records")).isZero();
            for (int second = 0; second < 25; second++) {
                pool.batch("\"vif\":1"); // the object itself comes later
                watch.step(false);
                pool.pass(Duration.ofSeconds(1));
                assertThat(pool.count("VIF.get_all_records"))
                        .as("after %d s", second)
                        .isEqualTo(1 + second / 10);
            }
            pool.batch("\"vif\":1", ScriptedPool.event(VIF, "add", OBJECT, record(VIF, false)));
            pool.pass(Duration.ofMinutes(1));
            watch.step(false);
            assertThat(pool.count("VIF.get_all_records")).as("it fits again").isEqualTo(3);
            assertThat(watch.objects(VIF)).containsOnlyKeys(OBJECT);
            assertThat(heard.syncs).as("no class was read but this one").hasSize(1);
        }
    }

    @Test
    @DisplayName("X24 a booting pool is tried again after pauses of up to five seconds")
    void booting() {
        pool.failures.put("session.login_with_password", List.of("HOST_STILL_BOOTING", ""));
        try (PoolConnection connection = pool.connect();
                PoolWatch watch = watch(connection)) {
            for (int i = 0; i < 600; i++) {
                watch.step(false);
                pool.pass(Duration.ofMillis(100));
            }
            assertThat(pool.calls).as("in a minute").hasSizeBetween(12, 20);
            assertThat(heard.losses)
                    .hasSameSizeAs(pool.calls)
                    .allMatch(each -> each.getMessage().startsWith("HOST_STILL_BOOTING"));
            pool.failures.clear();
            pool.batch("");
            pool.pass(PoolWatch.Times.USUAL.longestBackOff());
            watch.step(false);
            assertThat(heard.syncs).hasSize(1);
        }
    }

    @Test
    @DisplayName("X18 a coordinator without power is asked once, and members first the next time")
    void deadCoordinator() throws Exception {
        try (PoolConnection connection = pool.connect()) {
            connection.session();
            pool.dead.add("192.0.2.1");
            assertThatThrownBy(() -> connection.allRecords(VIF)).isInstanceOf(IOException.class);
            pool.calls.clear();
            assertThatThrownBy(() -> connection.allRecords(VIF))
                    .isInstanceOf(XapiException.Unreachable.class)
                    .hasMessageContaining("no route to 192.0.2.1");
            assertThat(pool.calls)
                    .filteredOn(each -> each.startsWith("192.0.2.1 "))
                    .as("each attempt takes the time of a connection")
                    .hasSize(1);
            assertThat(pool.calls).hasSize(3);

            pool.coordinator = "192.0.2.3";
            pool.results.put("VIF.get_all_records", "{}");
            pool.calls.clear();
            assertThat(connection.allRecords(VIF)).isEmpty();
            assertThat(connection.coordinator()).isEqualTo("192.0.2.3");
            assertThat(pool.calls).noneMatch(each -> each.startsWith("192.0.2.1 "));
        }
    }
}
