package org.stillwater.core.definition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VmNicTest {

    private static final UUID ID = new UUID(0x8000_0000_0000_0001L, -2);
    private static final UUID PROFILE = new UUID(3, 4);
    private static final String ADDRESS = "56:6f:8e:00:03:a9";

    private static VmNic nic(String name, String mac) {
        return new VmNic(ID, name, mac, PROFILE, 10_000);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ADDRESS,
                "00:00:00:00:00:00",
                "ff:ff:ff:ff:ff:ff",
                "56:6F:8E:00:03:A9",
                "56-6f-8e-00-03-a9",
                "566f8e0003a9",
                "56:6f:8e:00:03:+9",
                "56:6f:8e:00:03:a٣",
                "56:6f:8e:00:03:a9:00",
                ""
            })
    void anAddressComesBackAsItWas(String mac) {
        assertThat(nic("nic1", mac).mac()).isEqualTo(mac);
        assertThat(nic("nic1", mac).withId(PROFILE).mac()).isEqualTo(mac);
    }

    @Test
    void valuesComeBackAsTheyWere() {
        VmNic nic = nic("nic1", ADDRESS);

        assertThat(nic.id()).isEqualTo(ID);
        assertThat(nic.name()).isEqualTo("nic1");
        assertThat(nic.vnicProfile()).isEqualTo(PROFILE);
        assertThat(nic.speedMegabitsPerSecond()).isEqualTo(10_000);
        assertThat(nic.withId(PROFILE).id()).isEqualTo(PROFILE);
        assertThat(new VmNic(ID, "nic1", ADDRESS, null, 1).vnicProfile()).isNull();
    }

    @Test
    void everyValueMakesADifference() {
        VmNic nic = nic("nic1", ADDRESS);

        assertThat(nic).isEqualTo(nic("nic1", ADDRESS)).hasSameHashCodeAs(nic("nic1", ADDRESS));
        assertThat(nic)
                .isNotEqualTo(nic.withId(PROFILE))
                .isNotEqualTo(nic("nic2", ADDRESS))
                .isNotEqualTo(nic("nic1", "56:6f:8e:00:03:aa"))
                .isNotEqualTo(nic("nic1", "56:6F:8E:00:03:A9"))
                .isNotEqualTo(new VmNic(ID, "nic1", ADDRESS, null, 10_000))
                .isNotEqualTo(new VmNic(ID, "nic1", ADDRESS, PROFILE, 1_000));
        assertThat(nic("nic1", "")).isNotEqualTo(nic("nic1", "00:00:00:00:00:00"));
    }

    @Test
    @SuppressWarnings("StringCopy")
    void anEqualNameIsKeptOnce() {
        VmNic first = nic(new String("nic1"), ADDRESS);
        VmNic second = nic(new String("nic1"), ADDRESS);

        assertThat(second.name()).isSameAs(first.name());
    }
}
