package org.stillwater.monitoring.vm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PackedDisksUsageTest {

    private static final String USUAL =
            "[{\"path\":\"/\",\"total\":\"41231685984\",\"used\":\"32985348720\",\"fs\":\"xfs\"},"
                    + "{\"path\":\"/boot\",\"total\":\"1063256064\",\"used\":\"260698112\","
                    + "\"fs\":\"xfs\"}]";

    @Test
    void aUsualTextTakesAQuarter() {
        assertThat(PackedDisksUsage.pack(USUAL)).hasSizeLessThan(USUAL.length() / 3);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                USUAL,
                "",
                "[]",
                "0",
                "007 0123 1234 999999999999999999 9223372036854775808 100000000000000000000000",
                "[{\"path\":\"C:\\\\\",\"total\":\"1.5\",\"used\":-12345}",
                "[{\"path\":\"/srv/Fotos für Großmutter 🐘\\u0001\",\"total\":null}]\"},"
            })
    void aTextComesBackAsItWas(String text) {
        assertThat(PackedDisksUsage.unpack(PackedDisksUsage.pack(text))).isEqualTo(text);
    }

    @Test
    void anyTextComesBackAsItWas() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 5_000; round++) {
            StringBuilder text = new StringBuilder(USUAL);
            for (int i = random.nextInt(20); i > 0; i--) {
                int at = random.nextInt(text.length());
                switch (random.nextInt(4)) {
                    case 0 -> text.setCharAt(at, (char) random.nextInt(0x10000));
                    case 1 -> text.insert(at, random.nextLong());
                    case 2 -> text.delete(at, at + random.nextInt(10));
                    default -> text.insert(at, (char) random.nextInt(0x100));
                }
                text.append('x');
            }
            assertThat(PackedDisksUsage.unpack(PackedDisksUsage.pack(text.toString())))
                    .as("seed %d", seed)
                    .isEqualTo(text.toString());
        }
    }

    @Test
    void noTextIsNone() {
        assertThat(PackedDisksUsage.pack(null)).isNull();
        assertThat(PackedDisksUsage.unpack(null)).isNull();
    }
}
