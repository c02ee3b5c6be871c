package org.stillwater.ovirt.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.tag.TagRegistry;
import org.stillwater.ovirt.resource.DefinedDisk;
import org.stillwater.ovirt.resource.Expectation;
import org.stillwater.testkit.memory.InMemoryTagStore;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class TagChangesTest {

    private final TagRegistry book = new TagRegistry(new InMemoryTagStore());
    private final TagChanges changes = new TagChanges(null, book, 2);

    @BeforeEach
    void begin() throws StoreUnavailable {
        book.recover();
    }

    /** The API's form of the present tags. */
    private record Telling(String json) implements EntityLookup {
        @Override
        public Object entity(String... path) {
            throw new UnsupportedOperationException();
        }

        @Override
        public JsonNode json(List<String> path) {
            return JsonMapper.builder().build().readTree(json);
        }

        @Override
        public List<DefinedDisk> disks(String id) {
            throw new UnsupportedOperationException();
        }
    }

    private static Change change(String method, String path, String body, String told) {
        return new Change(
                method,
                List.of(path.split("/", -1)),
                Map.of(),
                Bodies.of(body),
                Caller.withRole("admin@internal", Role.ADMINISTRATOR),
                "",
                "/ovirt-engine/api",
                Expectation.USUAL,
                new Telling(told));
    }

    private Outcome add(String name) {
        return changes.add(change("POST", "tags", "{\"name\":\"" + name + "\"}", "{}"));
    }

    @Test
    void theSettingLimitsTheTags() {
        add("one");
        add("two");
        assertThatThrownBy(() -> add("three"))
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.status()).isEqualTo(409))
                .hasMessageContaining("there are at most 2");
        assertThat(book.tags()).hasSize(2);
    }

    /** Its pool would give it back, and it is not in the database. */
    @Test
    void tagsOfPoolsAreChangedInTheirPools() {
        assertThat(book.told(new VmId(1, 1), "lab", List.of("a", "b"), 9)).isTrue();
        add("one");
        add("two");
        String path = "tags/" + book.named("lab:a").id();
        for (ThrowingCallable each :
                List.<ThrowingCallable>of(
                        () -> changes.update(change("PUT", path, "{\"name\":\"b\"}", "{}")),
                        () -> changes.remove(change("DELETE", path, "{}", "{}")),
                        () ->
                                changes.update(
                                        change(
                                                "PUT",
                                                "tags/" + book.named("one").id(),
                                                "{\"parent\":{\"name\":\"lab:a\"}}",
                                                "{}")))) {
            assertThatThrownBy(each)
                    .isInstanceOfSatisfying(
                            Refused.class, refused -> assertThat(refused.status()).isEqualTo(409))
                    .hasMessageContaining("The tag lab:a is kept by the XAPI pool lab.");
        }
    }

    /** A comment cannot be kept, but one that is there already is no change. */
    @Test
    void presentValuesOfATagAreNoChange() {
        add("one");
        String path = "tags/" + book.named("one").id();
        String body = "{\"name\":\"first\",\"comment\":\"mine\"}";
        assertThat(changes.update(change("PUT", path, body, "{\"comment\":\"mine\"}")).status())
                .isEqualTo(200);
        assertThat(book.named("first")).isNotNull();
        assertThatThrownBy(() -> changes.update(change("PUT", path, body, "{\"comment\":\"my\"}")))
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.status()).isEqualTo(400))
                .hasMessageContaining("comment");
        assertThatThrownBy(
                        () -> changes.add(change("POST", "tags", body, "{\"comment\":\"mine\"}")))
                .as("a new one has nothing yet")
                .hasMessageContaining("comment");
    }
}
