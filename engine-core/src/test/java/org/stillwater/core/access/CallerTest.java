package org.stillwater.core.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;

class CallerTest {

    private static final VmId VM = new VmId(1, 1);
    private static final VmId OTHER = new VmId(1, 2);
    private static final ClusterId CLUSTER = new ClusterId(new UUID(2, 1));
    private static final ClusterId ELSEWHERE = new ClusterId(new UUID(2, 2));

    @ParameterizedTest
    @CsvSource({
        "ADMINISTRATOR, true, true, true, true, true",
        "OPERATOR, false, true, true, false, true",
        "READER, false, false, true, false, false",
        "SCRAPER, false, false, false, true, false",
        "BENCHMARKER, false, false, false, false, true",
    })
    void eachRoleContains(
            Role role,
            boolean administers,
            boolean operates,
            boolean reads,
            boolean scrapes,
            boolean benchmarks) {
        Caller caller = Caller.withRole("somebody", role);

        assertThat(caller.has(Role.ADMINISTRATOR)).isEqualTo(administers);
        assertThat(caller.has(Role.OPERATOR, VM, CLUSTER)).isEqualTo(operates);
        assertThat(caller.has(Role.READER, CLUSTER)).isEqualTo(reads);
        assertThat(caller.hasAnywhere(Role.SCRAPER)).isEqualTo(scrapes);
        assertThat(caller.has(Role.BENCHMARKER, VM, CLUSTER)).isEqualTo(benchmarks);
    }

    @Test
    void aGrantOnAClusterReachesItsVmsOnly() {
        Caller caller =
                new Caller(
                        "somebody", Set.of(new Grant(Role.OPERATOR, new Scope.OfCluster(CLUSTER))));

        assertThat(caller.has(Role.OPERATOR, VM, CLUSTER)).isTrue();
        assertThat(caller.has(Role.READER, CLUSTER)).isTrue();
        assertThat(caller.has(Role.OPERATOR, VM, ELSEWHERE)).isFalse();
        assertThat(caller.has(Role.OPERATOR, VM, null)).isFalse();
        assertThat(caller.has(Role.READER)).isFalse();
        assertThat(caller.hasAnywhere(Role.READER)).isTrue();
    }

    @Test
    void aGrantOnAVmReachesThatVmOnly() {
        Caller caller = new Caller("somebody", Set.of(new Grant(Role.READER, new Scope.OfVm(VM))));

        assertThat(caller.has(Role.READER, VM, CLUSTER)).isTrue();
        assertThat(caller.has(Role.OPERATOR, VM, CLUSTER)).isFalse();
        assertThat(caller.has(Role.READER, OTHER, CLUSTER)).isFalse();
        assertThat(caller.has(Role.READER, CLUSTER)).isFalse();
    }

    @Test
    void withoutARoleNothingIsAllowed() {
        Caller nobody = new Caller("anonymous", Set.of());

        assertThat(nobody.has(Role.SCRAPER)).isFalse();
        assertThat(nobody.hasAnywhere(Role.READER)).isFalse();
    }
}
