package org.stillwater.server.api.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.HttpStatus;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Grant;
import org.stillwater.core.access.Role;
import org.stillwater.core.access.Scope;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.vm.VmRegistry;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.CallerScope;
import org.stillwater.server.api.web.JsonObjectReader;
import org.stillwater.server.security.Callers;
import tools.jackson.databind.json.JsonMapper;

/** VMs of a batch by the filters of their list. */
class VmBatchFilterTest {

    private static final VmId WEB_2 = new VmId(1, 1);
    private static final VmId WEB_1 = new VmId(1, 2);
    private static final VmId DATABASE = new VmId(1, 3);
    private static final VmId OTHER_WEB_1 = new VmId(1, 4);

    private final VmRegistry registry = new VmRegistry(0);
    private final FleetReader fleet = mock(FleetReader.class);
    private final VmLists lists = mock(VmLists.class);
    private final Someone someone = new Someone();
    private final VmBatchFilter filter =
            new VmBatchFilter(fleet, lists, new CallerScope(fleet, someone));

    /** The caller of the next request. */
    private static final class Someone extends Callers {

        private Caller caller = Caller.withRole("olga", Role.OPERATOR);

        @Override
        public Caller current() {
            return caller;
        }
    }

    @BeforeEach
    void begin() {
        when(fleet.readings()).thenAnswer(_ -> registry.readings());
        when(lists.row()).thenAnswer(_ -> new VmRow(fleet, Instant.EPOCH, Duration.ofSeconds(30)));
        register(WEB_2, "web-2");
        register(WEB_1, "web-1");
        register(DATABASE, "database");
        register(OTHER_WEB_1, "web-1");
    }

    private void register(VmId vm, String name) {
        VmStatic definition =
                new VmStatic(name, VmOrigin.EXTERNAL, false, 1024, 512, 1, 1, 1, List.of());
        VmState state = new VmState(VmRuntime.INITIAL, VmPlacement.NOWHERE, 0, Instant.EPOCH, 0);
        assertThat(registry.register(vm, definition, state, _ -> {})).isTrue();
    }

    private List<VmId> matching(String conditions, int most) {
        JsonObjectReader body =
                JsonObjectReader.of(
                        JsonMapper.shared().readTree("{\"filter\": %s}".formatted(conditions)));
        return filter.matching(Objects.requireNonNull(body.object("filter")), most);
    }

    @Test
    void theMatchingVmsAreInTheOrderOfTheirNames() {
        assertThat(matching("{\"name\": \"WEB\"}", 9)).containsExactly(WEB_1, OTHER_WEB_1, WEB_2);
        assertThat(matching("{\"name\": \"*\"}", 4))
                .containsExactly(DATABASE, WEB_1, OTHER_WEB_1, WEB_2);
        assertThat(matching("{\"name\": \"web-*\", \"id\": \"%s\"}".formatted(WEB_2), 9))
                .containsExactly(WEB_2);
        assertThat(matching("{\"name\": \"mail\"}", 9)).isEmpty();
    }

    @Test
    void onlyVmsMatchThatTheCallerMayActOn() {
        someone.caller =
                new Caller(
                        "mira",
                        Set.of(
                                Grant.everywhere(Role.READER),
                                new Grant(Role.OPERATOR, new Scope.OfVm(WEB_1)),
                                new Grant(Role.OPERATOR, new Scope.OfVm(DATABASE))));
        assertThat(matching("{\"name\": \"*\"}", 2)).containsExactly(DATABASE, WEB_1);
        assertThat(matching("{\"name\": \"web\"}", 9)).containsExactly(WEB_1);
    }

    @Test
    void moreThanABatchMayHaveIsRefusedWithBothNumbers() {
        assertThat(matching("{\"name\": \"web\"}", 3)).hasSize(3);
        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(() -> matching("{\"name\": \"*\"}", 2))
                .withMessage(
                        "filter matches 4 VMs, and a batch has at most 2"
                                + " (stillwater.commands.most-in-batch)")
                .satisfies(e -> assertThat(e.status()).isEqualTo(HttpStatus.BAD_REQUEST))
                .satisfies(e -> assertThat(e.member()).isEqualTo("filter"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            textBlock =
                    """
                    {}                    | filter has no condition | filter
                    {"status": null, "name": "*"} | filter: status has no value | filter.status
                    {"name": " "}         | filter: name has no value | filter.name
                    {"name": 7}           | filter.name must be text | filter.name
                    {"stale": true}       | filter.stale must be text | filter.stale
                    {"status": "asleep"}  | status "asleep" is not one of | filter
                    {"cpuAbove": "much"}  | cpuAbove is a number | filter
                    {"ip": "10.3"}        | ip has addresses | filter
                    {"id": "web-1"}       | "web-1" is no UUID | filter
                    """)
    void aConditionThatTheListRefusesIsRefusedByName(
            String conditions, String words, String member) {
        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(() -> matching(conditions, 9))
                .withMessageContaining(words)
                .satisfies(e -> assertThat(e.status()).isEqualTo(HttpStatus.BAD_REQUEST))
                .satisfies(e -> assertThat(e.member()).isEqualTo(member));
    }

    @Test
    void parametersOfAListThatAreNoConditionsAreRefused() {
        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(() -> matching("{\"name\": \"*\", \"limit\": \"1\"}", 9))
                .withMessageContaining("There is no member filter.limit here. The members are")
                .withMessageContaining("withoutTag");
    }
}
