package org.stillwater.core.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.core.vm.VmStatus;

class IdsAndCodesTest {

    static LongStream seeds() {
        return LongStream.range(0, 20);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void anIdIsItsUuidInEveryForm(long seed) {
        Random random = new Random(seed);
        UUID uuid = new UUID(random.nextLong(), random.nextLong());
        UUID other = new UUID(random.nextLong(), random.nextLong());

        assertThat(VmId.parse(uuid.toString())).isEqualTo(VmId.of(uuid));
        assertThat(VmId.parse(uuid.toString().toUpperCase(java.util.Locale.ROOT)))
                .isEqualTo(VmId.of(uuid));
        assertThat(VmId.of(uuid).toUuid()).isEqualTo(uuid);
        assertThat(VmId.of(uuid)).hasToString(uuid.toString());
        assertThat(HostId.parse(uuid.toString())).isEqualTo(new HostId(uuid));
        assertThat(Integer.signum(VmId.of(uuid).compareTo(VmId.of(other))))
                .as("the order of the text, which is the order of the bytes")
                .isEqualTo(Integer.signum(uuid.toString().compareTo(other.toString())));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "0e6f3a52-8d1b-4c6e-9a57-2f4b1c7d9e0",
                "0e6f3a52-8d1b-4c6e-9a57-2f4b1c7d9e011",
                "0e6f3a52_8d1b-4c6e-9a57-2f4b1c7d9e01",
                "0e6f3a52-8d1b-4c6e-9a57-2f4b1c7d9eзz"
            })
    void otherTextsAreNoIds(String text) {
        assertThatThrownBy(() -> VmId.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @EnumSource(VmStatus.class)
    void aStatusSurvivesItsCode(VmStatus status) {
        assertThat(VmStatus.ofCode(status.code())).isEqualTo(status);
    }

    @Test
    void codesOfANewerSchemaAreUnknownNotAnError() {
        assertThat(ExitReason.ofCode(99)).isEqualTo(ExitReason.UNKNOWN);
        assertThat(PauseStatus.ofCode(99)).isEqualTo(PauseStatus.NONE);
        assertThatThrownBy(() -> VmStatus.ofCode(3)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aSetOfFieldsKeepsTableOrder() {
        RuntimeFields fields = RuntimeFields.of(RuntimeField.FQDN, RuntimeField.STATUS);

        assertThat(fields.toList()).containsExactly(RuntimeField.STATUS, RuntimeField.FQDN);
        assertThat(fields.union(RuntimeFields.of(RuntimeField.FQDN)).size()).isEqualTo(2);
        assertThat(RuntimeFields.all().size()).isEqualTo(RuntimeField.values().length);
        assertThat(RuntimeFields.NONE.isEmpty()).isTrue();
    }
}
