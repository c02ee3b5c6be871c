package org.stillwater.core.vm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class GuestNicsTest {

    private static final GuestNic LOOPBACK =
            new GuestNic("lo", "00:00:00:00:00:00", List.of("127.0.0.1"), List.of("::1"));
    private static final GuestNic ETHERNET =
            new GuestNic("eth0", "56:6f:8e:00:03:a9", List.of("10.30.214.41"), List.of());

    @Test
    void theInterfacesAreThoseThatWereGiven() {
        GuestNics nics = new GuestNics(7, List.of(LOOPBACK, ETHERNET));

        assertThat(nics.nics()).containsExactly(LOOPBACK, ETHERNET);
        assertThat(nics.digest()).isEqualTo(7);
        assertThat(GuestNics.NONE.nics()).isEmpty();
    }

    @Test
    void anyTextsComeBackAsTheyWere() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 2_000; round++) {
            List<GuestNic> nics = new ArrayList<>();
            for (int i = random.nextInt(4); i > 0; i--) {
                nics.add(new GuestNic(text(random), text(random), texts(random), texts(random)));
            }
            assertThat(new GuestNics(1, nics).nics()).as("seed %d", seed).isEqualTo(nics);
        }
    }

    /** Of one byte for each character, or any, halves of pairs among them; short or long. */
    private static String text(Random random) {
        int length = random.nextInt(random.nextInt(20) == 0 ? 40_000 : 70);
        int most = random.nextBoolean() ? 0x100 : 0x10000;
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append((char) random.nextInt(most));
        }
        return text.toString();
    }

    private static List<String> texts(Random random) {
        List<String> texts = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            texts.add(text(random));
        }
        return texts;
    }

    @Test
    void digestAndInterfacesMakeThemEqual() {
        GuestNics nics = new GuestNics(7, List.of(ETHERNET));

        assertThat(nics)
                .isEqualTo(new GuestNics(7, List.of(ETHERNET)))
                .hasSameHashCodeAs(new GuestNics(7, List.of(ETHERNET)))
                .isNotEqualTo(new GuestNics(8, List.of(ETHERNET)))
                .isNotEqualTo(new GuestNics(7, List.of(LOOPBACK)));
        assertThat(nics.hash()).isEqualTo(Long.hashCode(7));
        assertThat(nics).hasToString("GuestNics[digest=7, nics=[" + ETHERNET + "]]");
    }
}
