package org.stillwater.server.api.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.definition.VmTraits;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.JsonObjectReader;
import tools.jackson.databind.json.JsonMapper;

/** A change for many VMs sets what it names, and keeps everything else of each. */
class DefinitionChangeTest {

    private static final VmSpecification SPECIFICATION =
            VmSpecification.BARE
                    .withWords("a desk", "since May")
                    .withTraits(new VmTraits("rhel_9x64", VmTraits.Workload.DESKTOP, 512, false));
    private static final Definition VM =
            new Definition(
                    new VmStatic("desk", VmOrigin.OVIRT, false, 1024, 512, 2, 1, 1, List.of()),
                    SPECIFICATION,
                    7,
                    null,
                    null);

    private static DefinitionChange read(String body) {
        return DefinitionChange.read(
                JsonObjectReader.of(JsonMapper.builder().build().readTree(body)));
    }

    private static Definition over(String body) {
        return read(body).over(VM, SPECIFICATION);
    }

    @Test
    void aNamedMemberIsSetAndTheOthersStay() {
        Definition next = over("{\"priority\": 90, \"highlyAvailable\": true}");
        assertThat(next)
                .isEqualTo(
                        new Definition(
                                VM.definition().withHighAvailability(true),
                                SPECIFICATION,
                                90,
                                null,
                                null));
        assertThat(next.definition().highlyAvailable()).isTrue();
    }

    @Test
    void anEmptyTextClearsAndAMissingOneStays() {
        VmSpecification next =
                Objects.requireNonNull(over("{\"description\": \"\"}").specification());
        assertThat(next.description()).isNull();
        assertThat(next.comment()).isEqualTo("since May");
        assertThat(next).isEqualTo(SPECIFICATION.withWords(null, "since May"));
    }

    @Test
    void aProtectionKeepsTheOtherTraits() {
        Definition next = DefinitionChange.protection(true).over(VM, SPECIFICATION);
        assertThat(Objects.requireNonNull(next.specification()).traits())
                .isEqualTo(new VmTraits("rhel_9x64", VmTraits.Workload.DESKTOP, 512, true));
        assertThat(DefinitionChange.protection(false).over(VM, SPECIFICATION)).isEqualTo(VM);
        assertThat(DefinitionChange.protection(false).refusalOfSame()).contains("not protected");
        assertThat(DefinitionChange.protection(true).refusalOfSame()).contains("already");
    }

    @Test
    void wrongMembersAreRefusedByName() {
        refused("{}", "at least one of description");
        refused("{\"priority\": 101}", "priority is 0 to 100");
        refused("{\"name\": \"x\"}", "name");
        refused("{\"deleteProtected\": 1}", "deleteProtected");
        refused("{\"comment\": \"%s\"}".formatted("x".repeat(4001)), "at most 4000");
    }

    private static void refused(String body, String why) {
        assertThatThrownBy(() -> read(body))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining(why);
    }
}
