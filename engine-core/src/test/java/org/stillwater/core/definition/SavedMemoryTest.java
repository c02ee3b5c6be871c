package org.stillwater.core.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.UUID;
import org.junit.jupiter.api.Test;

class SavedMemoryTest {

    private static final UUID POOL = new UUID(0, 1);
    private static final UUID DOMAIN = new UUID(0, 2);

    /** VDSM takes it apart in this order (API.py, paths of a hibernation). */
    @Test
    void theHandleNamesTheDomainFirst() {
        SavedMemory saved =
                new SavedMemory(
                        new MemoryVolume(POOL, DOMAIN, new UUID(0, 3), new UUID(0, 4)),
                        new MemoryVolume(POOL, DOMAIN, new UUID(0, 5), new UUID(0, 6)));
        assertThat(saved.handle())
                .isEqualTo(
                        String.join(
                                ",",
                                DOMAIN.toString(),
                                POOL.toString(),
                                new UUID(0, 3).toString(),
                                new UUID(0, 4).toString(),
                                new UUID(0, 5).toString(),
                                new UUID(0, 6).toString()));
        assertThat(SavedMemory.parse(saved.handle())).isEqualTo(saved);
    }

    @Test
    void anythingElseIsNoHandle() {
        for (String text : new String[] {"", "a,b,c", "a,b,c,d,e,f", POOL + ",,,,,"}) {
            assertThatIllegalArgumentException().isThrownBy(() -> SavedMemory.parse(text));
        }
    }
}
