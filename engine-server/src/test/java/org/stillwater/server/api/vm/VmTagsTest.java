package org.stillwater.server.api.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpStatus;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Grant;
import org.stillwater.core.access.Role;
import org.stillwater.core.access.Scope;
import org.stillwater.core.cluster.Tag;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.tag.TagRegistry;
import org.stillwater.monitoring.vm.VmReading;
import org.stillwater.monitoring.vm.VmRegistry;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.server.api.rows.JsonSink;
import org.stillwater.server.api.rows.Order;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.testkit.memory.InMemoryTagStore;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

/** Filters and the column of the tags of VMs. */
class VmTagsTest {

    private static final VmId WEB = new VmId(1, 1);
    private static final VmId BOTH = new VmId(1, 2);
    private static final VmId BARE = new VmId(1, 3);
    private static final Tag WEB_TAG = new Tag(new UUID(2, 1), "web", "", null);
    private static final Tag SITE_TAG = new Tag(new UUID(2, 2), "Site 7", "", null);
    private static final Tag BELOW = new Tag(new UUID(2, 3), "below", "", WEB_TAG.id());
    private static final Caller READER = Caller.withRole("reader", Role.READER);

    private final TagRegistry tags = new TagRegistry(new InMemoryTagStore());
    private final VmRegistry registry = new VmRegistry(0);
    private final FleetReader fleet = mock(FleetReader.class);

    @BeforeEach
    void begin() throws StoreUnavailable {
        tags.recover();
        for (Tag tag : List.of(WEB_TAG, SITE_TAG, BELOW)) {
            assertThat(tags.save(tag)).isEqualTo(Saved.SAVED);
        }
        when(fleet.tags()).thenReturn(tags);
        when(fleet.reading(any())).thenAnswer(call -> registry.find(call.getArgument(0)));
        for (VmId vm : List.of(WEB, BOTH, BARE)) {
            VmStatic definition =
                    new VmStatic(
                            "vm-" + vm.leastSignificantBits(),
                            VmOrigin.EXTERNAL,
                            false,
                            1024,
                            512,
                            1,
                            1,
                            1,
                            List.of());
            VmState state =
                    new VmState(VmRuntime.INITIAL, VmPlacement.NOWHERE, 0, Instant.EPOCH, 0);
            assertThat(registry.register(vm, definition, state, _ -> {})).isTrue();
        }
        assertThat(tags.attach(WEB_TAG.id(), WEB)).isTrue();
        assertThat(tags.attach(WEB_TAG.id(), BOTH)).isTrue();
        assertThat(tags.attach(SITE_TAG.id(), BOTH)).isTrue();
    }

    private VmRow row() {
        return new VmRow(fleet, Instant.EPOCH, Duration.ofSeconds(30));
    }

    private static VmFilter filter(String tag, String without) {
        return new VmFilter(
                null, null, null, null, null, null, null, null, null, null, null, null, null, null,
                null, null, tag, without);
    }

    private List<VmId> found(String tag, String without, Caller caller) {
        Predicate<VmRow> wanted = filter(tag, without).predicate(fleet, caller);
        List<VmId> found = new ArrayList<>();
        VmRow row = row();
        for (VmReading vm : registry.readings()) {
            if (wanted.test(row.of(vm))) {
                found.add(vm.id());
            }
        }
        return found;
    }

    @Test
    void vmsAreFoundByWholeNamesOfTheirTagsAndByPatterns() {
        assertThat(found("web", null, READER)).containsExactlyInAnyOrder(WEB, BOTH);
        assertThat(found("WEB", null, READER)).containsExactlyInAnyOrder(WEB, BOTH);
        assertThat(found("site 7, web", null, READER)).containsExactlyInAnyOrder(WEB, BOTH);
        assertThat(found("site*", null, READER)).containsExactly(BOTH);
        assertThat(found("w?b", "site 7", READER)).containsExactly(WEB);
        assertThat(found(null, "web", READER)).containsExactly(BARE);
        assertThat(found(null, "*", READER)).containsExactly(BARE);
        assertThat(found("*", null, READER)).containsExactlyInAnyOrder(WEB, BOTH);
        assertThat(found("none*", null, READER)).isEmpty();
    }

    @Test
    void aTagAboveThatOfAVmIsNotItsTag() throws StoreUnavailable {
        assertThat(tags.attach(BELOW.id(), BARE)).isTrue();
        assertThat(found("web", null, READER)).containsExactlyInAnyOrder(WEB, BOTH);
        assertThat(found("below", null, READER)).containsExactly(BARE);
    }

    @Test
    void aFilterOfTagsDoesNotSelectEverything() {
        assertThat(filter("web", null).isEmpty()).isFalse();
        assertThat(filter(null, "web").isEmpty()).isFalse();
        assertThat(filter(null, " ").isEmpty()).isTrue();
    }

    @Test
    void anUnknownTagIsRefusedInsteadOfFindingEverything() {
        for (String unknown : List.of("wbe", "we", "web,wbe")) {
            assertThatExceptionOfType(ApiException.class)
                    .isThrownBy(() -> found(null, unknown, READER))
                    .withMessage("There is no tag %s.".formatted(unknown.replace("web,", "")))
                    .satisfies(e -> assertThat(e.status()).isEqualTo(HttpStatus.NOT_FOUND));
        }
    }

    @Test
    void tagsOfObjectsThatTheCallerMayNotReadAreUnknown() {
        Caller ofOne = new Caller("one", Set.of(new Grant(Role.READER, new Scope.OfVm(WEB))));
        assertThat(found("web", null, ofOne)).containsExactly(WEB);
        assertThat(found(null, "*", ofOne)).isEmpty();
        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(() -> found("site 7", null, ofOne))
                .withMessage("There is no tag site 7.");
    }

    @Test
    void aListHasTheNamesOfTagsOnRequest() {
        assertThat(VmTable.COLUMNS.select("", true))
                .noneMatch(column -> column.name().equals(VmTable.TAGS));
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JsonMapper.shared().createGenerator(text)) {
            VmRow row = row();
            json.writeStartArray();
            for (VmId vm : List.of(BOTH, BARE)) {
                new JsonSink(json, false)
                        .row(
                                row.of(registry.find(vm)),
                                VmTable.COLUMNS.select(VmTable.TAGS, false));
            }
            json.writeEndArray();
        }
        assertThat(text).hasToString("[{\"tags\":[\"Site 7\",\"web\"]},{\"tags\":[]}]");
    }

    @Test
    void tagsAreNoKeyToSortBy() {
        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(() -> new Order<>(VmTable.COLUMNS, VmTable.TAGS))
                .withMessageContaining("sort has no key tags");
    }
}
